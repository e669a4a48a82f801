import Foundation
import Glibc
import HouseSupport
import MildamCrypto
import MildamStorage
import MildamSystem
import MildamWire
import TestSupport
import Testing

/// A profile that was made before its keychain: its root key moves, and what was sealed under it is sealed anew.
@Suite("The root key moves into the keychain")
struct RootKeyTests {
    private static let passphrase = [
        "MILDAM_PASSPHRASE": "correct horse", "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent",
    ]

    /// alice with a room, texts, one that waits, and two vaults; a keychain that was not opened yet.
    private struct Scene {
        let house: House
        let alice: Person
        let bob: Person

        static func set() async throws -> Scene {
            let house = try await House.open()
            var alice = Person(name: "alice", home: house.folder.file("alice"), relay: house.relay.url)
            alice.environment = RootKeyTests.passphrase
            try await house.settle(alice)
            let bob = try await house.people("bob")[0]
            try await house.room("kitchen", of: [alice, bob])
            for text in ["one", "two", "three"] { try await alice.done("send", "kitchen", text) }
            try await alice.done("read", "kitchen")
            let file = house.folder.file("note.txt")
            try Data("a note".utf8).write(to: URL(fileURLWithPath: file))
            for vault in [alice.folder + "/vault", house.folder.file("elsewhere")] {
                try await alice.done("vault", "init", "--vault", vault)
                try await alice.done("vault", "add", file, "--vault", vault)
            }
            try await house.kill()
            expect(try await alice.run("send", "kitchen", "waiting"), 7, "kept")
            try await makeKeychain(in: alice.folder)
            return Scene(house: house, alice: alice, bob: bob)
        }

        var files: Set<String> { Set(Folder.names(in: alice.folder)) }

        /// That everything is there, and where it should be.
        func expectWhole(_ alice: Person, _ comment: Comment) async throws {
            let kitchen = try await alice.run("read", "kitchen", "--offline")
            for text in ["one", "two", "three"] { #expect(kitchen.output.contains(text), comment) }
            #expect(try await alice.done("outbox", "list").contains("waiting"), comment)
            expect(try await alice.run("vault", "verify"), 0, "1 sound, 0 damaged, 0 unknown")
            #expect(try await alice.done("vault", "list").contains("note.txt"), comment)
            let names = Set(Folder.names(in: alice.folder))
            #expect(names.isDisjoint(with: ["root.key", "root.key.earlier"]), comment)
        }
    }

    private func names(in path: String, _ sql: String) throws -> Set<String> {
        let result = try Program.run("sqlite3", [path, sql])
        guard result.status == 0 else { throw NoTable(result: result) }
        return Set(result.output.split(separator: "\n").map(String.init))
    }

    private struct NoTable: Error { let result: Program.Result }

    @Test func itMovesByItself() async throws {
        let scene = try await Scene.set()
        let alice = scene.alice
        // A keychain that nobody has opened changes nothing, and is not asked for.
        try await alice.done("lock", "--stop")
        var silent = alice
        silent.environment["MILDAM_PASSPHRASE"] = nil
        #expect(try await silent.done("outbox", "list").contains("waiting"))
        #expect(scene.files.contains("root.key"))

        let (messages, index) = (alice.folder + "/messenger.db", alice.folder + "/vault/index.db")
        let old = try SymmetricKey(data: WholeFile.read(alice.folder + "/root.key", limit: 32))
        let rows = "SELECT hex(name), hex(value) FROM records WHERE kind <> 'root key'"
        let entries = "SELECT hex(room), hex(value) FROM entries"
        let indexed = "SELECT hex(name), hex(digest), hex(value) FROM entries"
        func cells(_ path: String, _ sql: String) throws -> Set<Substring> {
            Set(try names(in: path, sql).flatMap { $0.split(separator: "|") })
        }
        let before = try cells(messages, rows).union(cells(messages, entries)).union(cells(index, indexed))
        #expect(before.count > 10)

        try await alice.done("unlock")
        let first = try await alice.run("vault", "list")
        expect(first, 0, "note.txt", "sealed anew", "renew-keys")
        try await scene.expectWhole(alice, "moved")
        #expect(try await alice.run("vault", "list").errors.isEmpty, "it is said once")
        // Neither a name nor a value is what it was, and what was free in the files is overwritten.
        let after = try cells(messages, rows).union(cells(messages, entries)).union(cells(index, indexed))
        #expect(after.count == before.count && after.isDisjoint(with: before))
        for path in [messages, messages + "-wal", index, index + "-wal"] where WholeFile.exists(path) {
            let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
            for cell in before where cell.count >= 32 {
                let needle = Data(try Hex.decode(String(cell.prefix(64).lowercased())))
                #expect(bytes.range(of: needle) == nil, "\(path) still has what the old key opened")
            }
        }
        // Whoever has the old key can open nothing with it.
        let sealer = RowSealer(rootKey: old, table: "records", path: messages)
        for row in try names(in: messages, "SELECT kind || '|' || hex(name) || '|' || hex(value) FROM records") {
            let parts = row.split(separator: "|").map(String.init)
            let (name, value) = (try Hex.decode(parts[1].lowercased()), try Hex.decode(parts[2].lowercased()))
            #expect(!sealer.opens(Data(value), column: "value", place: [.text(parts[0]), .bytes(name)]))
        }

        // A vault elsewhere opens, and is sealed anew when it is changed.
        let elsewhere = scene.house.folder.file("elsewhere")
        let keys = try Data(contentsOf: URL(fileURLWithPath: elsewhere + "/vault.keys"))
        expect(try await alice.run("vault", "list", "--vault", elsewhere), 0, "note.txt")
        #expect(try Data(contentsOf: URL(fileURLWithPath: elsewhere + "/vault.keys")) == keys)
        expect(try await alice.run("vault", "tag", "note.txt", "--add", "blue", "--vault", elsewhere), 0)
        #expect(try Data(contentsOf: URL(fileURLWithPath: elsewhere + "/vault.keys")) != keys)
        expect(try await alice.run("vault", "verify", "--vault", elsewhere), 0, "1 sound")

        // Locked: items of this kind stay readable. Ended: not, and it is said what to do.
        try await alice.done("lock")
        try await scene.expectWhole(silent, "locked")
        try await alice.done("lock", "--stop")
        expect(try await silent.run("outbox", "list"), 6, "mildam unlock")
        try await alice.done("unlock")
        // And life goes on.
        try await scene.house.restart()
        try await alice.done("send", "kitchen", "after")
        #expect(try await scene.bob.texts("kitchen") == ["one", "two", "three", "waiting", "after"])
        try await scene.bob.done("send", "kitchen", "so it is")
        #expect(try await alice.texts("kitchen").last == "so it is")
        // The profile's key is not removed by the way.
        expect(try await alice.run("keychain", "remove", "mildam root key", "present"), 6, "mildam.profile")
        try await alice.done("lock", "--stop")
    }

    @Test func aProfileThatIsMadeBesideAKeychainHasNoFile() async throws {
        let house = try await House.open(isEmpty: true)
        var alice = house.person("alice")
        alice.environment = Self.passphrase
        try await alice.done("keychain", "create")
        try await alice.done("unlock")
        try await alice.create()
        try await alice.done("room", "create", "kitchen")
        try await alice.done("vault", "init")
        #expect(!Set(Folder.names(in: alice.folder)).contains("root.key"))
        #expect(try await alice.done("room", "list").contains("kitchen"))
        try await alice.done("lock", "--stop")
    }

    /// The power fails while the key moves: everything opens afterwards, and the move comes to its end.
    @Test func aPowerCutWhileItMoves() async throws {
        let scene = try await Scene.set()
        try await scene.alice.done("lock", "--stop")
        var random = Seed.generator(for: "power cut of a root key")
        var places: [String: Int] = [:]
        for round in 0..<Count.of(few: 5, full: 100) {
            let disk = try TemporaryFolder()
            try FileManager.default.copyItem(atPath: scene.alice.folder, toPath: disk.file("alice"))
            let cut = try PowerCut(following: disk.path)
            var alice = Person(name: "alice", home: disk.path, relay: "", environment: Self.passphrase)
            alice.environment.merge(cut.environment) { $1 }
            let agent = try alice.start("keychain", "agent")
            #expect(try await agent.line(with: "ready") != nil)
            try await alice.done("unlock")
            let program = try alice.start("vault", "list")
            try await Task.sleep(for: .milliseconds(Int.random(in: 2...120, using: &random)))
            program.signal(SIGKILL)
            agent.signal(SIGKILL)
            _ = program.wait()
            _ = try await agent.end()

            let restored = try cut.restored()
            let reborn = Person(name: "alice", home: restored.path, relay: "", environment: Self.passphrase)
            let names = Set(Folder.names(in: reborn.folder))
            let place = names.contains("root.key") ? "before" : names.contains("root.key.earlier") ? "while" : "after"
            places[place, default: 0] += 1
            try await reborn.done("unlock")
            try await scene.expectWhole(reborn, "round \(round), \(place)")
            try await reborn.done("lock", "--stop")
        }
        print("figure: power cuts of a moving root key: \(places.sorted { $0.key < $1.key })")
    }
}
