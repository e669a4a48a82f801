import Foundation
import Glibc
import HouseSupport
import TestSupport
import Testing

/// The bad day of a keychain: damage, a disk that cannot be written, wrong permissions. And what is kept for it beforehand.
@Suite("A keychain on a bad day, at the command line")
struct KeychainCareTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private var database: String { folder.file("home/default/keychain.db") }

    private func mildam(
        _ arguments: String...,
        input: String? = nil,
        home: String? = nil
    ) async throws -> Program.Result {
        try await Program.result(
            of: "mildam",
            arguments,
            input: input,
            environment: [
                "MILDAM_HOME": home ?? folder.file("home"), "MILDAM_PASSPHRASE": "correct horse",
                "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent",
            ]
        )
    }

    /// The states that have a copy, the newest first.
    private func states() async throws -> [(state: Int, items: Int)] {
        let listed = try await mildam("keychain", "copies", "--json")
        let answer = try JSONSerialization.jsonObject(with: Data(listed.output.utf8)) as? [String: Any]
        let copies = try #require(answer?["copies"] as? [[String: Any]], "\(listed)")
        return copies.map { ($0["state"] as? Int ?? -1, $0["items"] as? Int ?? -1) }
    }

    private func bytes(_ path: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(fileURLWithPath: path))) }

    /// Forty logins.
    private func fill() async throws {
        try await makeKeychain(in: folder.file("home/default"))
        let lines = (0..<40).map { "site\($0).example,user,password \($0)" }
        let path = folder.file("logins.csv")
        try (["name,username,password"] + lines).joined(separator: "\n")
            .write(toFile: path, atomically: true, encoding: .utf8)
        expect(try await mildam("keychain", "import", path), 0)
        expect(try await mildam("lock", "--stop"), 0)
        // All of it in the file, and nothing in a log.
        let moved = try await Program.result(of: "sqlite3", [database, "PRAGMA wal_checkpoint(TRUNCATE)"])
        #expect(moved.status == 0, "\(moved)")
    }

    private func damagedFiles() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.file("home/default")).filter {
            $0.hasPrefix("keychain.db.damaged-")
        }
    }

    // MARK: Copies

    @Test func statesAreCopiedListedPutBackAndForgotten() async throws {
        try await makeKeychain(in: folder.file("home/default"))
        for text in ["one", "two"] {
            expect(try await mildam("keychain", "set", "a", "b", input: text), 0)
            expect(try await mildam("lock", "--stop"), 0)
        }
        let kept = try await states()
        #expect(kept.map(\.items) == [1, 1, 0], "\(kept)")
        expect(try await mildam("keychain", "copies"), 0, "\(kept[0].state)  ", "1 items")
        expect(try await mildam("keychain", "copies", "--restore", "99999"), 4, "no copy of state 99999")
        expect(try await mildam("keychain", "copies", "--restore", "1", "--forget"), 2)
        let unasked = try await mildam("keychain", "copies", "--restore", "\(kept[1].state)")
        #expect(unasked.status != 0 && unasked.errors.contains("--yes"), "\(unasked)")
        #expect(try await mildam("keychain", "get", "a", "b").output == "two")
        let restored = try await mildam("keychain", "copies", "--restore", "\(kept[1].state)", "--yes")
        expect(restored, 0, "the keychain is as it was at", "1 items")
        // Also for the agent, which had it open.
        #expect(try await mildam("keychain", "get", "a", "b").output == "one")
        expect(try await mildam("keychain", "verify"), 0)
        expect(try await mildam("keychain", "copies", "--restore", "\(kept[0].state)", "--yes"), 0)
        #expect(try await mildam("keychain", "get", "a", "b").output == "two")
        expect(try await mildam("lock", "--stop"), 0)
        // What a program that was killed left of one goes, too.
        let part = database + ".copies/1700000000000-9.db.123.456.part"
        try Data("part of a copy".utf8).write(to: URL(fileURLWithPath: part))
        expect(try await mildam("keychain", "copies", "--forget", "--yes"), 0, "deleted ")
        #expect(!FileManager.default.fileExists(atPath: part))
        #expect(try await mildam("keychain", "copies").output == "nothing\n")
        #expect(try await mildam("keychain", "get", "a", "b").output == "two")
        expect(try await mildam("lock", "--stop"), 0)
    }

    @Test func theLastTenStatesAreKeptAndSealed() async throws {
        try await makeKeychain(in: folder.file("home/default"))
        for number in 1...11 {
            expect(try await mildam("keychain", "set", "a", "b", input: "written plainly \(number)"), 0)
            expect(try await mildam("lock", "--stop"), 0)
        }
        let kept = try await states()
        #expect(kept.count == 10 && kept.allSatisfy { $0.items == 1 }, "\(kept)")
        #expect(kept.map(\.state) == kept.map(\.state).sorted(by: >), "the newest first")
        let place = database + ".copies"
        let files = try FileManager.default.contentsOfDirectory(atPath: place).map { place + "/" + $0 }
        #expect(files.count >= 10)
        for file in files {
            let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
            #expect(mode == 0o600, "\(file)")
            let content = try Data(contentsOf: URL(fileURLWithPath: file))
            #expect(content.range(of: Data("written plainly".utf8)) == nil, "\(file)")
        }
    }

    // MARK: Damage

    @Test func aFileWithoutItsBeginningIsSaved() async throws {
        try await fill()
        var damaged = try bytes(database)
        damaged.replaceSubrange(0..<4096, with: [UInt8](repeating: 0, count: 4096))
        try Data(damaged).write(to: URL(fileURLWithPath: database))
        expect(try await mildam("keychain", "get", "site7.example"), 5, "mildam keychain repair")
        let repaired = try await mildam("keychain", "repair")
        expect(repaired, 0, "40 items were read in the damaged file", "40 items, 0 damaged")
        expect(repaired, 0, "is kept: \(database).damaged-")
        #expect(try damagedFiles().count == 1 && !repaired.output.contains("its log"), "\(repaired)")
        #expect(try await mildam("keychain", "get", "site7.example").output == "password 7")
        expect(try await mildam("keychain", "verify"), 0)
        expect(try await mildam("lock", "--stop"), 0)
    }

    /// A log that is torn in its first part: no program that opens the file in vain deletes it, and the repair says where it
    /// is.
    @Test("the log that is kept is named", arguments: [false, true])
    func aLogThatIsTorn(_ isJSON: Bool) async throws {
        try await fill()
        // While the agent has the file open, the change is in the log.
        expect(try await mildam("keychain", "set", "a", "b", input: "in the log"), 0)
        var log = try bytes(database + "-wal")
        expect(try await mildam("lock", "--stop"), 0)
        try #require(log.count > 4096)
        // Behind the heads of the log and of its first part ("Write-Ahead Log Format", section 4.1).
        log[32 + 24 + 2000] ^= 1
        var damaged = try bytes(database)
        damaged.replaceSubrange(0..<4096, with: [UInt8](repeating: 0, count: 4096))
        try Data(damaged).write(to: URL(fileURLWithPath: database))
        try Data(log).write(to: URL(fileURLWithPath: database + "-wal"))
        try #require(unsafe chmod(database + "-wal", 0o600) == 0)
        expect(try await mildam("keychain", "get", "site7.example"), 5, "mildam keychain repair")
        let repaired = try await isJSON ? mildam("keychain", "repair", "--json") : mildam("keychain", "repair")
        #expect(repaired.status == 0, "\(repaired)")
        let place = try #require(try damagedFiles().first { $0.hasSuffix("-wal") }, "\(repaired)")
        let path = folder.file("home/default/\(place)")
        #expect(try bytes(path) == log)
        if isJSON {
            let answer = try JSONSerialization.jsonObject(with: Data(repaired.output.utf8)) as? [String: Any]
            #expect(answer?["damagedLog"] as? String == path, "\(repaired)")
        } else {
            #expect(repaired.output.contains("its log of the last changes is kept: \(path)\n"), "\(repaired)")
        }
        #expect(try await mildam("keychain", "get", "site7.example").output == "password 7")
        expect(try await mildam("lock", "--stop"), 0)
    }

    @Test func whatAFileLostComesBackFromItsCopies() async throws {
        try await fill()
        // Half of the file is gone, and the file itself.
        let half = try bytes(database)
        try Data(half[..<(half.count / 2)]).write(to: URL(fileURLWithPath: database))
        expect(try await mildam("keychain", "repair"), 0, "40 items, 0 damaged", "back from the copy of ")
        #expect(try await mildam("keychain", "get", "site39.example").output == "password 39")
        expect(try await mildam("lock", "--stop"), 0)
        for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: database + end) }
        let gone = try await mildam("keychain", "repair")
        expect(gone, 0, "0 items were read in the damaged file", "40 items, 0 damaged")
        #expect(try await mildam("keychain", "get", "site0.example").output == "password 0")
        expect(try await mildam("lock", "--stop"), 0)
    }

    @Test func whatIsLostIsNamed() async throws {
        try await fill()
        let sql = "UPDATE item SET secret = zeroblob(99) WHERE number = 3; PRAGMA wal_checkpoint(TRUNCATE)"
        #expect(try await Program.result(of: "sqlite3", [database, sql]).status == 0)
        var damaged = try bytes(database)
        for place in 0..<100 { damaged[place] = 0 }
        try Data(damaged).write(to: URL(fileURLWithPath: database))
        expect(try await mildam("keychain", "copies", "--forget", "--yes"), 0)
        let repaired = try await mildam("keychain", "repair")
        expect(repaired, 0, "39 items were read", "40 items, 1 damaged")
        expect(repaired, 0, "lost but for its name: ", "site2.example user (#3)")
        expect(try await mildam("keychain", "get", "site2.example"), 5)
        expect(try await mildam("keychain", "repair", "--discard", "3"), 0, "39 items, 0 damaged")
        expect(try await mildam("keychain", "get", "site2.example"), 4)
        expect(try await mildam("lock", "--stop"), 0)
    }

    /// What there is no key for need not be damaged.
    @Test func aHealthyItemIsNotGivenUp() async throws {
        let created = try await mildam("keychain", "create", "--json")
        let answer = try JSONSerialization.jsonObject(with: Data(created.output.utf8)) as? [String: Any]
        let code = try #require(answer?["recoveryCode"] as? String, "\(created)")
        expect(try await mildam("keychain", "set", "p", "q", "--accessible", "passcode", input: "r"), 0)
        let refused = try await Program.result(
            of: "mildam",
            ["keychain", "repair", "--discard", "1", "--with", "code"],
            environment: [
                "MILDAM_HOME": folder.file("home"), "MILDAM_PASSPHRASE": code,
                "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent",
            ]
        )
        expect(refused, 6, "unlock it with the passphrase")
        #expect(try await mildam("keychain", "get", "p", "q").output == "r")
        expect(try await mildam("lock", "--stop"), 0)
    }

    @Test func aDamagedItemComesBackFromACopy() async throws {
        try await fill()
        let sql = "UPDATE item SET secret = zeroblob(99) WHERE number = 3; DELETE FROM item WHERE number = 5"
        #expect(try await Program.result(of: "sqlite3", [database, sql]).status == 0)
        expect(try await mildam("keychain", "get", "site9.example"), 5, "mildam keychain repair")
        expect(try await mildam("lock", "--stop"), 0)
        let repaired = try await mildam("keychain", "repair")
        expect(repaired, 0, "damaged: 3", "site2.example user (#3)", "site4.example user (#5)", "is kept: ")
        #expect(try await mildam("keychain", "get", "site2.example").output == "password 2")
        #expect(try await mildam("keychain", "get", "site4.example").output == "password 4")
        expect(try await mildam("keychain", "verify"), 0)
        expect(try await mildam("lock", "--stop"), 0)
    }

    @Test func whatIsNoKeychainAndHasNoCopiesIsSaid() async throws {
        try FileManager.default.createDirectory(
            atPath: folder.file("home/default"),
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        expect(try await mildam("keychain", "repair"), 4, "there is no keychain at")
        try Data(repeating: 7, count: 9000).write(to: URL(fileURLWithPath: database))
        #expect(unsafe chmod(database, 0o600) == 0)
        let refused = try await mildam("keychain", "repair")
        #expect(refused.status != 0, "\(refused)")
        #expect(try bytes(database).count == 9000, "it is left as it is")
    }

    // MARK: Reading where nothing can be written

    private static let otpauth = "otpauth://totp/ACME:bob?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=ACME&digits=8"

    /// What can be done with a keychain in a place that is read-only, and what cannot.
    private func readsAndDoesNotWrite(_ home: String) async throws {
        let got = try await mildam("keychain", "get", "a", "b", home: home)
        #expect(got.status == 0 && got.output == "c" && got.errors.isEmpty, "\(got)")
        let listed = try await mildam("keychain", "list", home: home)
        expect(listed, 0, "password  a  b")
        expect(try await mildam("keychain", "verify", home: home), 0, "2 items, 0 damaged")
        expect(try await mildam("keychain", "history", "a", "b", home: home), 0, "no other value is kept")
        #expect(try await mildam("keychain", "trash", home: home).output == "nothing\n")
        let code = try await mildam("otp", "code", "ACME", "--at", "1111111109", home: home)
        #expect(code.status == 0 && code.output == "07081804\n", "\(code)")
        for (words, input) in [
            (["set", "a", "b"], "new"), (["set", "x", "y"], "new"), (["remove", "a", "b"], nil),
        ] as [([String], String?)] {
            let refused = try await Program.result(
                of: "mildam",
                ["keychain"] + words,
                input: input,
                environment: [
                    "MILDAM_HOME": home, "MILDAM_PASSPHRASE": "correct horse",
                    "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent",
                ]
            )
            #expect(refused.status == 6, "\(words): \(refused)")
            #expect(refused.errors.contains("whether the disk is mounted for writing"), "\(words): \(refused)")
        }
        #expect(try await mildam("keychain", "get", "a", "b", home: home).output == "c")
    }

    private func prepare(_ home: String) async throws {
        try await makeKeychain(in: home + "/default")
        expect(try await mildam("keychain", "set", "a", "b", input: "c", home: home), 0)
        expect(try await mildam("otp", "add", input: Self.otpauth, home: home), 0)
        expect(try await mildam("lock", "--stop", home: home), 0)
    }

    @Test(.enabled(if: SmallDisk.isPossible, "only root can mount a small disk"))
    func aDiskThatIsReadOnly() async throws {
        let disk = try SmallDisk(kilobytes: 16_384)
        let home = disk.path + "/home"
        try await prepare(home)
        try disk.protect()
        try await readsAndDoesNotWrite(home)
        withExtendedLifetime(disk) {}
    }

    @Test(.enabled(if: getuid() != 0, "root may write everywhere"))
    func aFolderThatIsReadOnly() async throws {
        let home = folder.file("home")
        try await prepare(home)
        #expect(unsafe chmod(home + "/default", 0o500) == 0)
        try await readsAndDoesNotWrite(home)
        #expect(unsafe chmod(home + "/default", 0o700) == 0)
        expect(try await mildam("keychain", "set", "a", "b", input: "new"), 0)
        expect(try await mildam("lock", "--stop"), 0)
    }

    /// A full disk has no room for a copy either: what is there stays.
    @Test(.enabled(if: SmallDisk.isPossible, "only root can mount a small disk"))
    func aDiskThatIsFull() async throws {
        let disk = try SmallDisk(kilobytes: 16_384)
        let home = disk.path + "/home"
        try await prepare(home)
        expect(try await mildam("unlock", home: home), 0)
        disk.fill()
        let long = String(repeating: "x", count: 20_000)
        let refused = try await mildam("keychain", "set", "a", "b", input: long, home: home)
        #expect(refused.status != 0 && refused.errors.contains("full"), "\(refused)")
        #expect(try await mildam("keychain", "get", "a", "b", home: home).output == "c")
        expect(try await mildam("keychain", "copies", home: home), 0, "items")
        try disk.clear()
        expect(try await mildam("keychain", "set", "a", "b", input: "new", home: home), 0)
        #expect(try await mildam("keychain", "get", "a", "b", home: home).output == "new")
        expect(try await mildam("lock", "--stop", home: home), 0)
    }

    // MARK: Permissions

    @Test func wrongPermissionsAreToldByEveryCommand() async throws {
        try await makeKeychain(in: folder.file("home/default"))
        expect(try await mildam("keychain", "set", "a", "b", input: "c"), 0)
        let commands = [
            ["keychain", "get", "a", "b"], ["keychain", "list"], ["keychain", "slots"], ["unlock"], ["otp", "list"],
        ]
        let copies = database + ".copies"
        for (path, mode, usual) in [(database, 0o644, 0o600), (copies, 0o755, 0o700)] as [(String, mode_t, mode_t)] {
            #expect(unsafe chmod(path, mode) == 0)
            let bits = (mode: String(mode, radix: 8), usual: String(usual, radix: 8))
            let line = "mildam: \(path) is open to others (permissions \(bits.mode)); chmod \(bits.usual) '\(path)'\n"
            for words in commands {
                let result = try await Program.result(
                    of: "mildam",
                    words,
                    environment: [
                        "MILDAM_HOME": folder.file("home"), "MILDAM_PASSPHRASE": "correct horse",
                        "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent",
                    ]
                )
                #expect(result.status == 0 && result.errors == line, "\(words): \(result)")
            }
            #expect(unsafe chmod(path, usual) == 0)
        }
        #expect(try await mildam("keychain", "get", "a", "b").errors.isEmpty)
        // In a folder that others may enter, nothing is believed.
        let place = folder.file("home/default")
        #expect(unsafe chmod(place, 0o755) == 0)
        let open = try await mildam("keychain", "get", "a", "b")
        expect(open, 6, "home/default is open to others (permissions 755)", "chmod 700 ")
        #expect(open.output.isEmpty)
        #expect(unsafe chmod(place, 0o700) == 0)
        expect(try await mildam("lock", "--stop"), 0)
        guard getuid() == 0 else { return print("another user's keychain was not tried: only root can make one") }
        #expect(unsafe chown(database, 12_345, 12_345) == 0)
        expect(try await mildam("keychain", "get", "a", "b"), 6, "\(database) belongs to another user")
    }
}
