import Foundation
import Glibc
import HouseSupport
import MildamSystem
import MildamWire
import TestSupport
import Testing

/// A profile that is damaged, full, locked or protected: one clear line, the right status, and nothing lost.
@Suite("The state of a profile")
struct StateTests {
    /// alice with a room and a few texts, the relay running, and no client of hers.
    private struct Scene {
        let house: House
        let alice: Person

        static func set(home: String? = nil) async throws -> Scene {
            let house = try await House.open()
            let alice = Person(name: "alice", home: home ?? house.folder.file("home"), relay: house.relay.url)
            try await house.settle(alice)
            try await alice.done("room", "create", "kitchen")
            for text in ["one", "two"] { try await alice.done("send", "kitchen", text) }
            try await alice.done("read", "kitchen")
            try await alice.done("client", "stop")
            return Scene(house: house, alice: alice)
        }

        var database: URL { URL(fileURLWithPath: alice.folder + "/messenger.db") }
        var rootKey: URL { URL(fileURLWithPath: alice.folder + "/root.key") }

        /// What a command ends with. No client is left behind, which would keep the profile as it was.
        func run(_ arguments: [String], input: String? = nil) async throws -> Program.Result {
            let result = try await Program.result(
                of: "mildam",
                arguments,
                input: input,
                environment: alice.variables
            )
            _ = try await alice.run("client", "stop")
            return result
        }
    }

    enum Damage: CaseIterable, Sendable {
        case garbage, empty, cut, cutToOnePage, noTables
    }

    @Test(arguments: Cases.drawn(2, of: Damage.allCases, for: "damaged databases"))
    func aDamagedDatabase(_ damage: Damage) async throws {
        let scene = try await Scene.set()
        let whole = try Data(contentsOf: scene.database)
        var random = Seed.generator(for: "damaged database")
        let damaged =
            switch damage {
            case .garbage: Data(random.bytes(whole.count))
            case .empty: Data()
            case .cut: whole.prefix(whole.count / 2 + 100)
            case .cutToOnePage: whole.prefix(4_096)
            case .noTables: whole.prefix(100) + Data(repeating: 0, count: whole.count - 100)
            }
        try damaged.write(to: scene.database)
        for arguments in [["account", "show"], ["read", "kitchen"], ["send", "kitchen", "three"]] {
            let result = try await scene.run(arguments)
            expect(result, 5, "messenger.db", "restore it from a backup")
        }
        #expect(try Data(contentsOf: scene.database) == damaged, "what is left to be rescued was changed")
        // With the backup everything is there again.
        try whole.write(to: scene.database)
        #expect(try await scene.alice.texts("kitchen") == ["one", "two"])
    }

    /// One flipped bit anywhere: it is found where it matters, and never becomes another text.
    @Test func aFlippedBit() async throws {
        let scene = try await Scene.set()
        let whole = try Data(contentsOf: scene.database)
        var random = Seed.generator(for: "flipped bit")
        // Most of the file is unused, and zero.
        let used = whole.indices.filter { whole[$0] != 0 }
        // One in what is sealed of a text: it is never passed over.
        let entry = "SELECT hex(value) FROM room_entries ORDER BY place DESC LIMIT 1"
        let hex = try await Program.result(of: "sqlite3", [scene.database.path, entry]).output
        let sealed = try Hex.decode(hex.trimmingCharacters(in: .whitespacesAndNewlines))
        let text = try #require(sealed.isEmpty ? nil : whole.firstRange(of: sealed))
        // A room whose records are damaged is mended with the relay: here it is not.
        try await scene.house.kill()
        for flip in 0..<Count.of(few: 24, full: 400) {
            var damaged = whole
            let place = flip == 0 ? text.lowerBound + text.count / 2 : try #require(used.randomElement(using: &random))
            damaged[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            try damaged.write(to: scene.database)
            for name in ["-wal", "-shm"] { _ = unsafe unlink(scene.database.path + name) }
            let result = try await scene.run(["read", "kitchen", "--offline"])
            // 7: the room waits until it is mended.
            #expect([0, 4, 5, 6, 7].contains(result.status), "\(result)")
            let shown = result.output.split(separator: "\n").filter { $0.contains("alice: ") }
            #expect(shown.allSatisfy { $0.hasSuffix("alice: one") || $0.hasSuffix("alice: two") }, "\(result)")
            if flip == 0 { #expect(result.status != 0, "\(result)") }
            if result.status == 0, !["alice: one", "alice: two"].allSatisfy({ result.output.contains($0) }) {
                // A row that SQLite does not find any more is missed by who looks at the whole file.
                expect(try await scene.run(["doctor"]), 5)
            }
            #expect(!result.errors.contains("Fatal"), "\(result)")
        }
    }

    @Test func aNewerVersion() async throws {
        let scene = try await Scene.set()
        var newer = try Data(contentsOf: scene.database)
        // SQLite's user_version: four bytes, big-endian (its file format, section 1.3).
        newer.replaceSubrange(60..<64, with: [0, 0, 0, 99])
        try newer.write(to: scene.database)
        expect(
            try await scene.run(["read", "kitchen"]),
            6,
            "has version 99, and this program knows up to 4",
            "update the program"
        )
        #expect(try Data(contentsOf: scene.database) == newer)
    }

    @Test func anotherProgramsDatabase() async throws {
        let scene = try await Scene.set()
        var other = try Data(contentsOf: scene.database)
        other.replaceSubrange(68..<72, with: [0, 0, 0, 1])
        try other.write(to: scene.database)
        expect(try await scene.alice.run("read", "kitchen"), 5, "belongs to another program")
    }

    enum KeyDamage: CaseIterable, Sendable {
        case missing, empty, short, long, flipped, another
    }

    @Test(arguments: Cases.drawn(3, of: KeyDamage.allCases, for: "damaged root keys"))
    func aDamagedRootKey(_ damage: KeyDamage) async throws {
        let scene = try await Scene.set()
        let key = try Data(contentsOf: scene.rootKey)
        var random = Seed.generator(for: "root key")
        var damaged: Data? = key
        switch damage {
        case .missing: damaged = nil
        case .empty: damaged = Data()
        case .short: damaged = key.dropLast()
        case .long: damaged = key + [0]
        case .flipped: damaged?[5] ^= 4
        case .another: damaged = Data(random.bytes(32))
        }
        try FileManager.default.removeItem(at: scene.rootKey)
        try damaged?.write(to: scene.rootKey)
        for arguments in [["account", "show"], ["read", "kitchen"], ["account", "create", "alice"]] {
            let more = arguments[1] == "create" ? ["--password-file", "-"] : []
            let result = try await scene.run(arguments + more, input: "password\n")
            let isOfTheRightSize = [.flipped, .another].contains(damage)
            expect(result, 5, isOfTheRightSize ? "the root key is not the one" : "root.key")
        }
        #expect(
            FileManager.default.contents(atPath: scene.rootKey.path) == damaged,
            "no new key in the place of the old"
        )
        try key.write(to: scene.rootKey)
        #expect(try await scene.alice.texts("kitchen") == ["one", "two"])
    }

    /// Another program has the profile: this one waits, and then does its work.
    @Test func aLockedProfile() async throws {
        let scene = try await Scene.set()
        let reading: Program
        do {
            guard let lock = try ProcessLock(taking: scene.alice.folder + "/lock") else {
                Issue.record("the profile is locked by somebody else")
                return
            }
            reading = try scene.alice.start("read", "kitchen")
            try await Task.sleep(for: .milliseconds(400))
            #expect(kill(reading.identifier, 0) == 0, "it still waits")
            #expect(try await reading.line(with: "alice", within: 0.1) == nil)
            release(lock)
        }
        expect(try await reading.end(), 0, "alice: one", "alice: two")
    }

    /// Many commands at once on one profile, each after the other.
    @Test func manyCommandsAtOnce() async throws {
        let scene = try await Scene.set()
        try await withThrowingTaskGroup { group in
            for index in 0..<6 {
                group.addTask { expect(try await scene.alice.run("send", "kitchen", "text \(index)"), 0) }
            }
            try await group.waitForAll()
        }
        let texts = try await scene.alice.texts("kitchen")
        #expect(texts.count == 8 && Set(texts).count == 8)
    }

    @Test(.enabled(if: SmallDisk.isPossible, "only root can mount a small disk"))
    func aFullDisk() async throws {
        let disk = try SmallDisk(kilobytes: 32_768)
        let scene = try await Scene.set(home: disk.path)
        let file = scene.house.folder.file("file")
        try Data(repeating: 1, count: 1_000_000).write(to: URL(fileURLWithPath: file))
        disk.fill()
        for arguments in [["send", "kitchen", "three"], ["send", "kitchen", "--file", file]] {
            let result = try await scene.run(arguments)
            expect(result, 1)
            #expect(
                result.errors.contains("the disk is full") || result.errors.contains("No space left on device"),
                "\(result)"
            )
        }
        expect(try await scene.run(["room", "create", "attic"]), 1)
        try disk.clear()
        #expect(try await scene.alice.outboxTexts().isEmpty)
        try await scene.alice.done("send", "kitchen", "three")
        #expect(try await scene.alice.texts("kitchen") == ["one", "two", "three"])
        try await scene.alice.done("client", "stop")
        withExtendedLifetime(disk) {}
    }

    /// The same by a limit on the size of files, which needs no rights. The client that a command starts has it as well.
    @Test func aLimitOnFiles() async throws {
        let scene = try await Scene.set()
        let file = scene.house.folder.file("file")
        try Data(repeating: 1, count: 1_000_000).write(to: URL(fileURLWithPath: file))
        let mildam = try Program.find("mildam")
        for (arguments, blocks) in [(["send", "kitchen", "three"], 4), (["send", "kitchen", "--file", file], 1_800)] {
            let result = try await Program.result(
                of: "/bin/sh",
                [
                    "-c", "trap '' XFSZ; \(FileLimit.commands(blocks: blocks)); exec \"$0\" \"$@\"", mildam, "-p",
                    "alice",
                ] + arguments,
                environment: ["MILDAM_HOME": scene.alice.home]
            )
            try await scene.alice.run("client", "stop")
            expect(result, 1)
            #expect(
                result.errors.contains("the disk is full") || result.errors.contains("File too large"),
                "\(result)"
            )
        }
        let left = scene.alice.names(in: "sending")
        #expect(left.isEmpty, "half a file is left: \(left)")
        #expect(try await scene.alice.outboxTexts().isEmpty)
        try await scene.alice.done("send", "kitchen", "three")
        #expect(try await scene.alice.texts("kitchen") == ["one", "two", "three"])
    }

    @Test(.enabled(if: SmallDisk.isPossible || getuid() != 0, "root can write everywhere"))
    func aProtectedFolder() async throws {
        let disk = try SmallDisk.isPossible ? SmallDisk(kilobytes: 32_768) : nil
        let scene = try await Scene.set(home: disk?.path)
        if let disk { try disk.protect() } else { _ = unsafe chmod(scene.alice.folder, 0o500) }
        defer { if disk == nil { _ = unsafe chmod(scene.alice.folder, 0o700) } }
        for arguments in [["account", "show"], ["send", "kitchen", "three"]] {
            let result = try await scene.run(arguments)
            expect(result, 6, "cannot", scene.alice.folder)
        }
        withExtendedLifetime(disk) {}
    }

    /// One's own profile that may not be entered or read is not one without an account.
    @Test(.enabled(if: Program.areExpected(["setpriv"], from: "util-linux")), arguments: ["", "/messenger.db"])
    func anUnreadableProfile(_ name: String) async throws {
        let scene = try await Scene.set()
        let path = scene.alice.folder + name
        _ = unsafe chmod(path, 0)
        defer { _ = unsafe chmod(path, name.isEmpty ? 0o700 : 0o600) }
        // Root is kept from nothing, unless that is taken from it.
        let rights = "-dac_override,-dac_read_search"
        let bare = getuid() == 0 ? ["setpriv", "--bounding-set", rights, "--inh-caps", rights] : []
        for arguments in [
            ["account", "show"], ["read", "kitchen", "--offline"], ["account", "login", "--password-file", "-"],
            ["account", "create", "alice", "--password-file", "-"], ["doctor"],
        ] {
            let words = bare + [try Program.find("mildam"), "-p", "alice"] + arguments
            let result = try await Program.result(
                of: words[0],
                Array(words.dropFirst()),
                input: scene.alice.password + "\n",
                environment: ["MILDAM_HOME": scene.alice.home, "MILDAM_RELAY": scene.alice.relay]
            )
            let said = result.output + result.errors
            #expect(![0, 4].contains(result.status), "\(result)")
            #expect(said.contains("Permission denied") && said.contains("namei -l '\(scene.alice.folder)"), "\(result)")
            #expect(!said.contains("no account") && !said.contains("account create"), "\(result)")
        }
    }

    private func release(_ lock: consuming ProcessLock) {}

    /// A file where the folder should be.
    @Test func noFolder() async throws {
        let folder = try TemporaryFolder()
        try Data().write(to: URL(fileURLWithPath: folder.file("alice")))
        let alice = Person(name: "alice", home: folder.path, relay: "http://127.0.0.1:1")
        let create = try await alice.run("account", "create", "alice", "--password-file", "-", input: "password\n")
        expect(create, 6, "cannot use the folder", "Not a directory")
    }
}
