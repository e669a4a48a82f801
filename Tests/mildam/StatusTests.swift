import Foundation
import Glibc
import HouseSupport
import TestSupport
import Testing

/// How each kind of trouble ends, in whichever command it is met: one table of statuses.
@Suite("Exit statuses: one table for every command")
struct StatusTests {
    /// A command line, and the status that it ends with.
    struct Ending: Sendable, CustomTestStringConvertible {
        let status: Int32
        let words: [String]
        var input: String?

        init(_ status: Int32, _ line: String, input: String? = nil) {
            (self.status, self.input) = (status, input)
            words = line.split(separator: " ").map(String.init)
        }

        var testDescription: String { words.joined(separator: " ") + " ends with \(status)" }
    }

    private static let recipient = "age16v38fn5cequgfukdzup7rpy0f95z03q7m6u2kfvq5pyah5gr0ckqpju3e6"

    // MARK: Files, a vault and a keychain

    static let notThere = [
        Ending(4, "file encrypt -r \(recipient) -o out nowhere"),
        Ending(4, "file encrypt -r \(recipient) -o nowhere/out note"),
        Ending(4, "file decrypt -i nowhere cut.age"),
        Ending(4, "file decrypt -i key nowhere"),
        Ending(4, "file inspect nowhere"),
        Ending(4, "file inspect nowhere nobody"),
        Ending(4, "vault add nowhere"),
        Ending(4, "vault add nowhere nobody"),
        Ending(4, "vault get nowhere"),
        Ending(4, "vault list nowhere"),
        Ending(4, "vault history nowhere"),
        Ending(4, "vault restore nowhere"),
        Ending(4, "vault restore note"),
        Ending(4, "vault prune nowhere --keep 1"),
        Ending(4, "vault sync nowhere --yes"),
        Ending(4, "vault repair -i nowhere"),
        Ending(4, "vault import nowhere.csv"),
        Ending(4, "keychain get nobody nothing"),
        Ending(4, "keychain import nowhere --format bundle -i key"),
        Ending(4, "otp code nobody"),
        Ending(4, "otp import nowhere"),
        Ending(4, "otp add --qr nowhere.png"),
        Ending(4, "otp add --qr grey.png"),
        Ending(4, "token status nobody"),
        Ending(4, "account show"),
        Ending(4, "account create alice --relay http://127.0.0.1:1 --password-file nowhere"),
    ]

    static let inTheWay = [
        Ending(6, "file encrypt -r \(recipient) -o key note"),
        Ending(6, "file encrypt -r \(recipient) -o folder note"),
        Ending(6, "file encrypt -r \(recipient) -o note/out note"),
        Ending(6, "file keygen -o key"),
        Ending(6, "file decrypt -i key -o out folder"),
        Ending(6, "file inspect folder"),
        Ending(6, "vault init"),
        Ending(6, "vault add link"),
        Ending(6, "vault add note link"),
        Ending(6, "vault move note other"),
        Ending(6, "vault get note -o other"),
        Ending(6, "vault sync note --yes"),
        Ending(6, "keychain create"),
        Ending(6, "otp add", input: "otpauth://totp/ACME:bob?secret=MFRGGZDFMZTWQ2LKMFRGGZDFMZTWQ2LK\n"),
    ]

    static let noTerminal = [
        Ending(6, "file encrypt -p -o out note"),
        Ending(6, "account create alice --relay http://127.0.0.1:1"),
        Ending(6, "vault import old.csv"),
        Ending(6, "vault sync folder"),
        Ending(6, "vault browse"),
    ]

    static let damaged = [
        Ending(5, "file decrypt -i key note"),
        Ending(5, "file decrypt -i note cut.age"),
        Ending(5, "file decrypt -i key cut.age"),
        Ending(5, "otp import note"),
        Ending(5, "otp add", input: "otpauth://totp/ACME:bob\n"),
        Ending(5, "otp add --qr cut.png"),
    ]

    static let wrongUse = [
        Ending(2, "vault get"),
        Ending(2, "vault add note --as ../note"),
        Ending(2, "vault prune"),
        Ending(2, "file encrypt note"),
        Ending(2, "otp qr --scale x note"),
    ]

    /// Several things that fail for one reason end with its status, otherwise with 1.
    static let several = [
        Ending(1, "file inspect nowhere folder"),
        Ending(4, "vault add nowhere note"),
        Ending(1, "vault add nowhere link"),
        Ending(0, "file inspect note key"),
    ]

    @Test func oneTableForEveryCommand() async throws {
        let scene = try await StatusScene.set()
        let rows = [Self.notThere, Self.inTheWay, Self.noTerminal, Self.damaged, Self.wrongUse, Self.several]
        for row in rows.joined() { try await scene.expect(row) }
        try await scene.end()
    }

    @Test func lockedWithoutATerminal() async throws {
        let scene = try await StatusScene.set()
        try await scene.expect(Ending(0, "lock"))
        for line in ["keychain get example.org alice", "keychain list", "otp list", "otp code bob", "token list"] {
            try await scene.expect(Ending(6, line))
        }
        try await scene.end()
    }

    /// Whose the folder is, and whether it may be written to, is the same for a vault as for a file.
    @Test(.enabled(if: geteuid() == 0, "only root can make another user's folder"))
    func anothersFolder() async throws {
        let scene = try await StatusScene.set()
        let home = scene.folder.file("home/default")
        try await scene.end()
        try #require(unsafe chown(home, 65534, 65534) == 0)
        for line in ["account show", "vault list", "keychain get example.org alice", "otp list", "unlock"] {
            try await scene.expect(Ending(6, line))
        }
    }

    @Test(.enabled(if: SmallDisk.isPossible, "only root can have a disk that is read-only for it"))
    func aReadOnlyDisk() async throws {
        let scene = try await StatusScene.set()
        let disk = try SmallDisk(kilobytes: 64)
        try disk.protect()
        for line in ["file encrypt -r \(Self.recipient) -o \(disk.path)/out note", "file keygen -o \(disk.path)/key"] {
            try await scene.expect(Ending(6, line))
        }
        try await scene.end()
        withExtendedLifetime(disk) {}
    }

    // MARK: Rooms

    @Test func rooms() async throws {
        let scene = try await FileScene.set()
        let bob = scene.bob
        let taken = scene.house.folder.file("note.txt")
        expect(try await bob.run("send", "kitchen", "--file", "nowhere"), 4, "nowhere")
        expect(try await bob.run("send", "attic", "text"), 4, "attic")
        expect(try await bob.run("save", "kitchen", "\(scene.number)", "-o", taken), 6, "exists")
        expect(try await bob.run("save", "kitchen", "\(scene.number)", "-o", taken + "/x"), 6)
        expect(try await bob.run("account", "delete", "--from-rooms"), 6, "--yes")
    }

    // MARK: The other programs

    static let relay = [
        Ending(4, "user list --data nowhere"),
        Ending(4, "invite --data nowhere"),
        Ending(6, "user remove alice --data nowhere"),
        Ending(6, "serve --listen 127.0.0.1:0 --data note"),
        Ending(2, "serve --listen nowhere"),
        Ending(2, "user list alice"),
    ]

    @Test(arguments: relay)
    func theRelay(_ row: Ending) async throws {
        let folder = try TemporaryFolder()
        try Data("a note".utf8).write(to: URL(fileURLWithPath: folder.file("note")))
        let result = try await Program.result(of: "mildam-relay", row.words, folder: folder.path)
        expect(result, row.status)
        #expect(!result.errors.isEmpty, "\(result)")
    }

    @Test func theRelaySaysWhatActsOnATerminalVisibly() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("\u{1B}[31mnote")
        try Data("a note".utf8).write(to: URL(fileURLWithPath: path))
        let result = try await Program.result(of: "mildam-relay", ["serve", "--listen", "127.0.0.1:0", "--data", path])
        expect(result, 6, "␛[31mnote")
        #expect(!result.errors.contains("\u{1B}"), "\(result)")
    }

    /// Nothing can be printed: each says so, and none ends with 1 and no words.
    @Test(arguments: [
        ("mildam", "--help", 1, "No space left on device"), ("mildam-relay", "--help", 1, "No space left on device"),
        ("mildam-scan", "--help", 1, "No space left on device"),
        ("mildam-keyring", "help", 1, "No space left on device"),
        ("mildam", "account show --json", 4, "no account"), ("mildam-relay", "user list --json", 4, "no relay's data"),
    ])
    func noProgramFailsWithoutAWord(_ program: String, _ line: String, _ status: Int, _ words: String) async throws {
        let folder = try TemporaryFolder()
        let result = try await Program.result(
            of: "/bin/sh",
            ["-c", "exec \"$0\" \(line) >/dev/full", try Program.find(program)],
            environment: ["MILDAM_HOME": folder.path, "XDG_DATA_HOME": folder.path]
        )
        expect(result, Int32(status), "\(program): ", words)
    }

    // MARK: The table

    @Test(arguments: [("mildam", "--help"), ("mildam", "manual"), ("mildam", "reference"), ("mildam-relay", "--help")])
    func theTableIsPrinted(_ program: String, _ page: String) async throws {
        let result = try await Program.result(of: program, [page])
        let text = result.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        for meaning in ["wrong use", "not found", "damaged or forged data", "locked or refused"] {
            #expect(text.contains(meaning), "\(program) \(page): \(meaning)")
        }
    }

    /// An error of `mildam`'s own says which status it ends with.
    @Test func noErrorIsWithoutAStatus() throws {
        let sources = Vectors.packageFolder + "/Sources"
        for program in ["mildam", "mildam-relay", "mildam-scan", "mildam-keyring"] {
            let files = try FileManager.default.subpathsOfDirectory(atPath: sources + "/" + program)
            for file in files where file.hasSuffix(".swift") {
                let text = try String(contentsOfFile: "\(sources)/\(program)/\(file)", encoding: .utf8)
                let own = text.split(separator: "\n").filter { $0.contains(/(struct|enum|class) \w+:.*\bError\b/) }
                #expect(own.isEmpty, "\(program)/\(file): \(own)")
            }
        }
    }
}

/// Somebody with a key, a vault and an open keychain, and files of every kind around them.
private struct StatusScene {
    let folder: TemporaryFolder

    static func set() async throws -> StatusScene {
        let scene = StatusScene(folder: try TemporaryFolder())
        let (files, path) = (FileManager.default, scene.folder.path)
        try files.createDirectory(atPath: path + "/home/default", withIntermediateDirectories: true)
        try files.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path + "/home/default")
        try files.createDirectory(atPath: path + "/folder", withIntermediateDirectories: false)
        try #require(unsafe symlink("note", path + "/link") == 0)
        try scene.write("a note\n", "note")
        try scene.write("another note\n", "other")
        try scene.write("id,file_path,salt,iv\n1,a.enc,00,00\n", "old.csv")
        try scene.makePictures()
        try await makeKeychain(in: path + "/home/default")
        let recipient = try await scene.done("file keygen -o key").trimmingCharacters(in: .whitespacesAndNewlines)
        try await scene.done("file encrypt -r \(recipient) -o cut.age note")
        try #require(unsafe truncate(path + "/cut.age", 180) == 0)
        try await scene.done("unlock", ["MILDAM_PASSPHRASE": "correct horse"])
        try await scene.done("vault init")
        try await scene.done("vault add note other")
        try await scene.done("keychain set example.org alice", input: "hunter2\n")
        try await scene.done(
            "otp add",
            input: "otpauth://totp/ACME:bob?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ\n"
        )
        return scene
    }

    private func write(_ text: String, _ name: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: folder.file(name)))
    }

    /// A picture without a code, and half of one.
    private func makePictures() throws {
        let script = """
            import struct, sys, zlib
            def chunk(kind, data):
                return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
            rows = b"".join(b"\\0" + b"\\x80" * 64 for _ in range(64))
            picture = (b"\\x89PNG\\r\\n\\x1a\\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 64, 64, 8, 0, 0, 0, 0))
                + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))
            open(sys.argv[1], "wb").write(picture)
            open(sys.argv[2], "wb").write(picture[:50])
            """
        let made = try Program.run("python3", ["-c", script, folder.file("grey.png"), folder.file("cut.png")])
        try #require(made.status == 0, "\(made)")
    }

    func run(
        _ arguments: [String],
        input: String? = nil,
        _ environment: [String: String] = [:]
    ) async throws -> Program.Result {
        let home = ["MILDAM_HOME": folder.file("home"), "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent"]
        return try await Program.result(
            of: "mildam",
            arguments,
            input: input,
            environment: home.merging(environment) { $1 },
            folder: folder.path
        )
    }

    @discardableResult
    private func done(
        _ line: String,
        input: String? = nil,
        _ environment: [String: String] = [:]
    ) async throws -> String {
        let result = try await run(line.split(separator: " ").map(String.init), input: input, environment)
        try #require(result.status == 0, "\(line): \(result)")
        return result.output
    }

    func expect(_ row: StatusTests.Ending, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let result = try await run(row.words, input: row.input)
        #expect(result.status == row.status, "\(row.testDescription): \(result)", sourceLocation: sourceLocation)
        #expect(row.status == 0 || !result.errors.isEmpty, "\(row.testDescription)", sourceLocation: sourceLocation)
    }

    /// Ends the agent.
    func end() async throws { try await done("lock --stop") }
}
