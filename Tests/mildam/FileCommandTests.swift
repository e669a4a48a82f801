import Foundation
import Glibc
import HouseSupport
import MildamCrypto
import MildamFiles
import MildamSystem
import MildamWire
import TestSupport
import Testing

/// `mildam file`, as it is typed.
@Suite("Files, at the command line")
struct FileCommandTests {
    private let folder: TemporaryFolder
    private let someone: Person

    init() async throws {
        folder = try TemporaryFolder()
        someone = Person(name: "someone", home: folder.path, relay: "")
        try write("what is said in confidence\n", "plain")
    }

    private func write(_ text: String, _ name: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: folder.file(name)))
    }

    private func bytes(_ name: String) throws -> [UInt8] { try WholeFile.read(folder.file(name), limit: 1 << 24) }

    private var names: [String] { Folder.names(in: folder.path).sorted() }

    private func run(
        _ arguments: String...,
        input: String? = nil,
        passphrase: String? = nil
    ) async throws
        -> Program.Result
    {
        let environment = passphrase.map { ["MILDAM_PASSPHRASE": $0] } ?? [:]
        return try await Program.result(
            of: "mildam",
            arguments,
            input: input,
            environment: environment.merging(["MILDAM_HOME": folder.path]) { $1 },
            folder: folder.path
        )
    }

    /// Makes a key, and gives back its recipient.
    private func key(_ name: String) async throws -> String {
        let result = try await run("file", "keygen", "-o", name)
        try #require(result.status == 0, "\(result)")
        return result.output.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    @Test func aKeyIsPrivateAndReplacesNothing() async throws {
        let recipient = try await key("key")
        #expect(recipient.hasPrefix("age1"))
        let permissions = try FileManager.default.attributesOfItem(atPath: folder.file("key"))[.posixPermissions]
        #expect(permissions as? Int == 0o600)
        let text = try bytes("key")
        expect(try await run("file", "keygen", "-o", "key"), 6, "--force")
        #expect(try bytes("key") == text)
        expect(try await run("file", "keygen"), 0, "AGE-SECRET-KEY-1")
    }

    /// What is no file is written to, and is never taken for standard output.
    @Test func devicesAndPipes() async throws {
        let recipient = try await key("key")
        for device in ["/dev/null", "/dev/full"] {
            let made = try await run("file", "keygen", "-o", device)
            #expect((made.status == 0) == (device == "/dev/null"), "\(made)")
            #expect(!(made.output + made.errors).contains("AGE-SECRET-KEY"), "\(made)")
        }
        let sealed = try await run("file", "encrypt", "-r", recipient, "-o", "/dev/null", "--json", "plain")
        expect(sealed, 0, "\"output\":\"/dev/null\"")
        expect(
            try await run("file", "convert", "-r", recipient, "-o", "/dev/null", "plain"),
            2,
            "a file: what a device"
        )
        // Standard output by its other name: nothing is said there beside the content.
        let named = try await Program.result(
            of: "/bin/sh",
            ["-c", "'\(try Program.find("mildam"))' file encrypt -r \(recipient) -a -o /dev/stdout plain | cat"],
            environment: ["MILDAM_HOME": folder.path],
            folder: folder.path
        )
        #expect(named.output.hasSuffix("-----END AGE ENCRYPTED FILE-----\n"), "\(named)")
        // Nobody reads any more: no reason to complain.
        try write(String(repeating: "long ", count: 200_000), "long")
        expect(try await run("file", "encrypt", "-r", recipient, "-o", "long.age", "long"), 0)
        let mildam = try Program.find("mildam")
        let cut = try await Program.result(
            of: "/bin/sh",
            ["-c", "'\(mildam)' file decrypt -i key long.age | head -c 1"],
            environment: ["MILDAM_HOME": folder.path],
            folder: folder.path
        )
        #expect(cut.output == "l" && cut.errors.isEmpty, "\(cut)")
    }

    @Test func inspectionOfWhatIsNotThere() async throws {
        let found = try await run("file", "inspect", "--json", "plain", "nothing")
        #expect(found.status == 4 && found.errors.isEmpty, "\(found)")
        expect(found, 4, "\"failed\":[{\"error\":\"cannot open nothing", "\"kind\":\"text/plain\"")
        expect(try await run("file", "decrypt", "--format", "age", "plain", passphrase: "x"), 5, "no age file")
    }

    @Test func keysFromStandardInput() async throws {
        let recipient = try await key("key")
        let sealed = try await run("file", "encrypt", "-R", "-", "-o", "file.age", "plain", input: recipient + "\n")
        expect(sealed, 0, "encrypted to file.age")
        let secret = String(decoding: try bytes("key"), as: UTF8.self)
        let back = try await run("file", "decrypt", "-i", "-", "file.age", input: secret)
        #expect(back.status == 0 && back.output == "what is said in confidence\n", "\(back)")
        expect(try await run("file", "decrypt", "-i", "-", input: secret), 2, "--identity", "standard input")
        expect(try await run("file", "encrypt", "-R", "-", "-", input: recipient), 2, "--recipients-file")
    }

    @Test func throughFilesAndPipes() async throws {
        let recipient = try await key("key")
        expect(try await run("file", "encrypt", "-r", recipient, "-o", "file.age", "plain"), 0, "encrypted to file.age")
        expect(try await run("file", "decrypt", "-i", "key", "-o", "back", "file.age"), 0)
        #expect(try bytes("back") == bytes("plain"))
        let armored = try await run("file", "encrypt", "-a", "-R", "recipients", input: "from a pipe")
        expect(armored, 4, "recipients")
        try write("# ours\n\(recipient)\n", "recipients")
        let text = try await run("file", "encrypt", "-a", "-R", "recipients", input: "from a pipe")
        #expect(text.status == 0 && text.errors.isEmpty && text.output.hasPrefix("-----BEGIN AGE ENCRYPTED FILE-----"))
        let back = try await run("file", "decrypt", "-i", "key", input: text.output)
        #expect(back.status == 0 && back.output == "from a pipe" && back.errors.isEmpty)
        let answer = try await run("file", "decrypt", "-i", "key", "-o", "again", "file.age", "--json")
        expect(answer, 0, "\"authenticated\":true", "\"format\":\"age\"", "\"size\":27")
    }

    /// The statuses tell a wrong key from damage, and nothing is ever left under the target's name.
    @Test func statuses() async throws {
        let recipient = try await key("key")
        _ = try await key("other")
        expect(try await run("file", "encrypt", "-r", recipient, "-o", "file.age", "plain"), 0)
        let file = try bytes("file.age")
        expect(try await run("file", "decrypt", "-i", "other", "-o", "out", "file.age"), 3, "wrong key or passphrase")

        let headerEnd = try #require(file.firstRange(of: Array("\n--- ".utf8))).upperBound
        let changes: [(String, [UInt8])] = [
            ("a MAC", file.changed(at: headerEnd + 3, by: 2)), ("a chunk", file.changed(at: file.count - 1, by: 1)),
            ("an end", Array(file.dropLast())), ("more", file + [0]), ("a header", Array(file.prefix(headerEnd))),
        ]
        for (what, bytes) in changes {
            try WholeFile.write(bytes.span, to: folder.file("changed"))
            let result = try await run("file", "decrypt", "-i", "key", "-o", "out", "changed")
            #expect(result.status == 5 && !names.contains("out"), "\(what): \(result)")
        }
        expect(try await run("file", "decrypt", "-i", "key", "-o", "out", "nowhere"), 4, "nowhere")
        expect(try await run("file", "decrypt", "-i", "key", "-o", "out", "."), 6, "directory")
        expect(try await run("file", "decrypt", "-i", "key", "-o", "out", "plain"), 5, "--format", "text/plain")
        expect(try await run("file", "decrypt", "-o", "out", "file.age"), 2, "--identity")
        expect(try await run("file", "encrypt", "-o", "out", "plain"), 2, "--recipient")
        expect(try await run("file", "encrypt", "-p", "-r", recipient, "-o", "out", "plain"), 2, "cannot be combined")
        expect(try await run("file", "encrypt", "-r", "AGE-SECRET-KEY-1QQ", "-o", "out", "plain"), 2, "secret key")
        expect(try await run("file", "encrypt", "-r", recipient, "-o", "nowhere/out", "plain"), 4, "nowhere")
        #expect(!names.contains("out"))
        // What is there stays, and is replaced only when the new file is whole.
        try write("mine", "out")
        expect(try await run("file", "decrypt", "-i", "key", "-o", "out", "file.age"), 6, "out exists", "--force")
        expect(try await run("file", "decrypt", "-i", "other", "--force", "-o", "out", "file.age"), 3)
        #expect(try bytes("out") == Array("mine".utf8))
        expect(try await run("file", "decrypt", "-i", "key", "--force", "-o", "out", "file.age"), 0)
        #expect(try bytes("out") == bytes("plain"))
    }

    @Test func passphrases() async throws {
        let made = try await run("file", "encrypt", "-p", "-o", "p.age", "plain", passphrase: "밀담")
        expect(made, 0)
        expect(try await run("file", "decrypt", "-o", "out", "p.age", passphrase: "other"), 3, "passphrase")
        expect(try await run("file", "decrypt", "p.age", passphrase: "밀담"), 0, "in confidence")
        expect(try await run("file", "decrypt", "--passphrase-fd", "0", "p.age", input: "밀담\n"), 0, "in confidence")
        expect(try await run("file", "decrypt", "p.age"), 6, "--passphrase-fd", "MILDAM_PASSPHRASE")
        let generated = try await run("file", "encrypt", "-g", "-o", "g.age", "plain", "--json")
        let answer = try JSONSerialization.jsonObject(with: Data(generated.output.utf8)) as? [String: Any]
        let passphrase = try #require(answer?["passphrase"] as? String)
        #expect(
            passphrase.wholeMatch(of: /([bdfghjklmnprstvz][aiou][bdfghjklmnprstvz][aiou][bdfghjklmnprstvz]-?){7}/)
                != nil
        )
        expect(try await run("file", "decrypt", "g.age", passphrase: passphrase), 0, "in confidence")
    }

    @Test func keysUnderAPassphrase() async throws {
        let recipient = try await key("key")
        expect(try await run("file", "encrypt", "-p", "-o", "key.age", "key", passphrase: "밀담"), 0)
        expect(try await run("file", "encrypt", "-r", recipient, "-o", "file.age", "plain"), 0)
        expect(try await run("file", "decrypt", "-i", "key.age", "file.age", passphrase: "밀담"), 0, "in confidence")
        let wrong = try await run("file", "decrypt", "-i", "key.age", "-o", "out", "file.age", passphrase: "other")
        expect(wrong, 3, "mildam: key.age: wrong passphrase")
        let unasked = try await run("file", "decrypt", "-i", "key.age", "-o", "out", "file.age")
        expect(unasked, 6, "key.age: it is under a passphrase", "--passphrase-fd", "MILDAM_PASSPHRASE")
        #expect(!names.contains("out"))
        let session = try TerminalSession(
            "cd \"$1\"; \"$2\" file decrypt -i key.age -o typed file.age; echo \"ended with $?\"",
            [folder.path, try Program.find("mildam")],
            environment: [:]
        )
        #expect(try await session.see("Passphrase of key.age:"), "\(session.rows)")
        session.type("밀담\r")
        #expect(try await session.see("ended with 0"), "\(session.rows)")
        #expect(try bytes("typed") == bytes("plain"))
        let whole = try bytes("key.age")
        try WholeFile.write(whole.span.extracting(..<(whole.count - 1)), to: folder.file("cut.age"))
        let cut = try await run("file", "decrypt", "-i", "cut.age", "-o", "out", "file.age", passphrase: "밀담")
        expect(cut, 5, "cut.age: the key file is damaged")
        try WholeFile.write(whole.span.extracting(..<30), to: folder.file("cut.age"))
        let headless = try await run("file", "decrypt", "-i", "cut.age", "-o", "out", "file.age", passphrase: "밀담")
        expect(headless, 5, "the key file is encrypted, and damaged")
        expect(try await run("file", "encrypt", "-p", "-o", "note.age", "plain", passphrase: "밀담"), 0)
        let noKey = try await run("file", "decrypt", "-i", "note.age", "-o", "out", "file.age", passphrase: "밀담")
        expect(noKey, 5, "note.age: ")
    }

    @Test(.enabled(if: Program.areExpected(["ssh-keygen"], from: "openssh-client")))
    func sshKeysUnderAPassphrase() async throws {
        let made = try Program.run(
            "ssh-keygen",
            ["-q", "-t", "ed25519", "-N", "밀담", "-a", "2", "-C", "", "-f", folder.file("ssh")]
        )
        try #require(made.status == 0, "\(made)")
        expect(try await run("file", "encrypt", "-R", "ssh.pub", "-o", "file.age", "plain"), 0)
        expect(try await run("file", "decrypt", "-i", "ssh", "file.age", passphrase: "밀담"), 0, "in confidence")
        let wrong = try await run("file", "decrypt", "-i", "ssh", "file.age", passphrase: "other")
        expect(wrong, 3, "ssh: wrong passphrase")
        expect(try await run("file", "decrypt", "-i", "ssh", "file.age"), 6, "ssh: it is under a passphrase")
        // Of a file that is for somebody else, nobody is asked for anything.
        expect(try await run("file", "encrypt", "-r", try await key("key"), "-o", "other.age", "plain"), 0)
        expect(try await run("file", "decrypt", "-i", "ssh", "other.age"), 3, "no identity opens this file")
    }

    @Test(.enabled(if: Program.areExpected(["ssh-keygen"], from: "openssh-client")))
    func rsaKeysOfSSH() async throws {
        for (name, bits, passphrase) in [("rsa", "2048", ""), ("locked", "2048", "밀담"), ("short", "1024", "")] {
            let options = ["-t", "rsa", "-b", bits, "-N", passphrase, "-a", "2", "-C", "a comment"]
            let made = try Program.run("ssh-keygen", ["-q", "-f", folder.file(name)] + options)
            try #require(made.status == 0, "\(made)")
        }
        expect(try await run("file", "encrypt", "-R", "rsa.pub", "-R", "locked.pub", "-o", "file.age", "plain"), 0)
        expect(try await run("file", "inspect", "file.age"), 0, "ssh-rsa")
        expect(try await run("file", "decrypt", "-i", "rsa", "file.age"), 0, "in confidence")
        expect(try await run("file", "decrypt", "-i", "locked", "file.age", passphrase: "밀담"), 0, "in confidence")
        let line = try String(contentsOfFile: folder.file("rsa.pub"), encoding: .utf8)
        let recipient = line.trimmingCharacters(in: .newlines)
        expect(try await run("file", "encrypt", "-r", recipient, "-o", "other.age", "plain"), 0)
        expect(try await run("file", "decrypt", "-i", "locked", "other.age"), 3, "no identity opens this file")
        let short = try await run("file", "encrypt", "-R", "short.pub", "-o", "no.age", "plain")
        #expect(short.status != 0 && short.errors.contains("2048 to 16384 bits"), "\(short)")
    }

    @Test func passphrasesAtATerminal() async throws {
        func terminal(_ command: String, _ typed: String...) async throws -> [String] {
            let session = try TerminalSession(
                "cd \"$1\"; \"$2\" \(command); echo \"ended with $?\"",
                [folder.path, try Program.find("mildam")],
                environment: [:]
            )
            for (number, text) in typed.enumerated() {
                #expect(try await session.see(number == 0 ? "Passphrase:" : "Once more:"), "\(session.rows)")
                session.type(text + "\r")
            }
            #expect(try await session.see("ended with"), "\(session.rows)")
            return session.rows
        }
        let made = try await terminal("file encrypt -p -o t.age plain", "one", "one")
        #expect(made.contains { $0.contains("ended with 0") } && !made.contains { $0.contains("one ") }, "\(made)")
        let refused = try await terminal("file encrypt -p -o no.age plain", "one", "two")
        #expect(refused.contains { $0.contains("not the same") } && !names.contains("no.age"), "\(refused)")
        let opened = try await terminal("file decrypt -o t t.age", "one")
        #expect(opened.contains { $0.contains("ended with 0") }, "\(opened)")
        #expect(try bytes("t") == bytes("plain"))
        let unwritten = try await terminal("file encrypt -r \(try await key("key")) plain")
        #expect(unwritten.contains { $0.contains("ended with 2") }, "\(unwritten)")
    }

    /// A plugin is a child: it must not find the passphrase, neither in its environment nor in ours.
    @Test func noChildGetsThePassphrase() async throws {
        let plugin = folder.file("age-plugin-looker")
        try write(
            "#!/bin/sh\n{ env; tr '\\0' '\\n' </proc/$PPID/environ; } >\(folder.file("seen"))\nexit 1\n",
            "age-plugin-looker"
        )
        try #require(unsafe chmod(plugin, 0o700) == 0)
        let recipient = Bech32.encode([1, 2, 3, 4, 5], prefix: "age1looker")
        let path = folder.path + ":" + (ProcessInfo.processInfo.environment["PATH"] ?? "")
        let result = try await Program.result(
            of: "mildam",
            ["file", "encrypt", "-r", recipient, "-o", "out", "plain"],
            environment: ["MILDAM_PASSPHRASE": "a secret of mine", "PATH": path],
            folder: folder.path
        )
        #expect(result.status == 1 && !names.contains("out"), "\(result)")
        let seen = String(decoding: try bytes("seen"), as: UTF8.self)
        #expect(seen.contains("PATH=") && !seen.contains("a secret of mine"))
    }

    @Test func rncryptor() async throws {
        expect(try await run("file", "encrypt", "--format", "rncryptor", "-o", "r", "plain", passphrase: "pass"), 0)
        expect(try await run("file", "decrypt", "-o", "out", "r", passphrase: "wrong"), 3, "wrong password", "damaged")
        #expect(!names.contains("out"))
        expect(try await run("file", "decrypt", "r", passphrase: "pass"), 0, "in confidence")
        let recipient = try await key("key")
        expect(try await run("file", "convert", "-r", recipient, "-o", "new.age", "r", passphrase: "wrong"), 3)
        #expect(!names.contains("new.age"))
        expect(try await run("file", "convert", "-r", recipient, "-o", "new.age", "r", passphrase: "pass"), 0)
        expect(try await run("file", "decrypt", "-i", "key", "new.age"), 0, "in confidence")
        // A part is missing: of two bytes and a length that is wrong, it is said.
        let whole = try bytes("r")
        try WholeFile.write(whole.span.extracting(..<82), to: folder.file("short"))
        expect(try await run("file", "decrypt", "-o", "out", "short", passphrase: "pass"), 3)
        try WholeFile.write(whole.span.extracting(..<40), to: folder.file("short"))
        expect(try await run("file", "decrypt", "-o", "out", "short", passphrase: "pass"), 5, "missing")
        expect(try await run("file", "inspect", "short"), 0, "RNCryptor, version 3", "missing")
    }

    /// Two keys in a file, of which nothing is said when it is malformed.
    @Test func rncryptorKeys() async throws {
        try write(String(repeating: "0a", count: 32) + "\n" + String(repeating: "0B", count: 32) + "\n", "keys")
        expect(
            try await run("file", "encrypt", "--format", "rncryptor", "--rncryptor-keys", "keys", "-o", "k", "plain"),
            0
        )
        expect(try await run("file", "decrypt", "--rncryptor-keys", "keys", "k"), 0, "in confidence")
        try write("secret!", "keys")
        let malformed = try await run("file", "decrypt", "--rncryptor-keys", "keys", "k")
        #expect(malformed.status == 5 && !malformed.errors.contains("secret!"))
    }

    @Test func olderFormats() async throws {
        for unused in [["--iv", "00"], ["--salt", "00"], ["-i", "key"]] {
            let arguments = ["file", "decrypt", "--format", "aes256-category"] + unused + ["-o", "out", "plain"]
            let result = try await Program.result(of: "mildam", arguments, folder: folder.path)
            #expect(result.status == 2 && result.errors.contains("left out"), "\(result)")
        }
        let openssl = try await Program.result(
            of: "openssl",
            ["enc", "-aes-256-cbc", "-K", "70617373" + String(repeating: "00", count: 28), "-iv"]
                + [String(repeating: "00", count: 16), "-in", "plain", "-out", "category"],
            folder: folder.path
        )
        try #require(openssl.status == 0, "\(openssl)")
        expect(try await run("file", "decrypt", "-o", "out", "category", passphrase: "pass"), 5, "--format")
        let legacy = try await run(
            "file",
            "decrypt",
            "--format",
            "aes256-category",
            "--json",
            "-o",
            "out",
            "category",
            passphrase: "pass"
        )
        #expect(legacy.status == 0 && legacy.output.contains("\"authenticated\":false"), "\(legacy)")
        #expect(legacy.errors.contains("authenticated: false"))
        // Where standard error is closed, its number is the Swift runtime's before any file of ours could have it.
        let closed = try await Program.result(
            of: "sh",
            ["-c", "exec \"$0\" file decrypt --format aes256-category category 2>&-", try Program.find("mildam")],
            environment: ["MILDAM_PASSPHRASE": "pass"],
            folder: folder.path
        )
        #expect(closed.status == 0 && closed.output == "what is said in confidence\n", "\(closed)")
        #expect(try bytes("out") == bytes("plain"))
    }

    @Test func inspection() async throws {
        let recipient = try await key("key")
        expect(try await run("file", "encrypt", "-r", recipient, "-r", recipient, "-o", "file.age", "plain"), 0)
        expect(try await run("file", "inspect", "file.age"), 0, "age", "because", "X25519, X25519", "27 B")
        let picture = Array(
            "\u{89}PNG\r\n\u{1a}\n\0\0\0\rIHDR\0\0\0\u{1}\0\0\0\u{1}\u{8}\u{6}\0\0\0".unicodeScalars.map {
                UInt8($0.value)
            }
        )
        try WholeFile.write(picture.span, to: folder.file("a.pdf"))
        expect(try await run("file", "inspect", "a.pdf"), 0, "image/png", "it is called .pdf, and is image/png")
        try write("", "empty.txt")
        let empty = try await run("file", "inspect", "empty.txt", "plain", "--json")
        #expect(empty.status == 0 && !empty.output.contains("contradiction"), "\(empty)")
        try write("age-encryption.org/v1\n-> X25519", "short.age")
        expect(try await run("file", "inspect", "short.age"), 0, "the file ends before the header does")
    }

    /// A descriptor that nobody gave us may be one of our own files.
    @Test func descriptorsAndStreamsThatAreNotThere() async throws {
        for command in ["encrypt -p", "decrypt"] {
            let result = try await Program.result(
                of: "sh",
                ["-c", "exec \"$0\" file \(command) --passphrase-fd 3 -o out plain", try Program.find("mildam")],
                folder: folder.path
            )
            #expect(result.status == 2 && result.errors.contains("--passphrase-fd"), "\(result)")
        }
        expect(try await run("file", "encrypt", "-p", "-o", "p.age", "plain", passphrase: "밀담"), 0)
        let given = try await Program.result(
            of: "sh",
            [
                "-c", "echo 밀담 >pw; exec \"$0\" file decrypt --passphrase-fd 3 p.age 3<pw 2>&-",
                try Program.find("mildam"),
            ],
            folder: folder.path
        )
        #expect(given.status == 0 && given.output == "what is said in confidence\n", "\(given)")
        let damaged = try bytes("p.age").changed(at: 60, by: 1)
        try WholeFile.write(damaged.span, to: folder.file("damaged"))
        let result = try await run("file", "decrypt", "-o", "out", "damaged", passphrase: "밀담")
        #expect(result.status == 3 || result.status == 5, "\(result)")
        // Where something is that is no file, it is written to, and stays what it is.
        let unreadable = try await Program.result(
            of: "sh",
            ["-c", "exec \"$0\" file encrypt -p -o out $(printf 'caf\\351')", try Program.find("mildam")],
            folder: folder.path
        )
        #expect(unreadable.status == 2 && unreadable.errors.contains("not UTF-8"), "\(unreadable)")
        let null = try await run("file", "decrypt", "-o", "/dev/null", "--force", "p.age", passphrase: "밀담")
        var status = stat()
        try #require(unsafe stat("/dev/null", &status) == 0)
        #expect(null.status == 0 && status.st_mode & S_IFMT == S_IFCHR)
        expect(try await run("file", "decrypt", "--json", "p.age", passphrase: "밀담"), 2, "--output")
    }

    /// A whole tree of pieces, interrupted: the target's folder is as it was.
    @Test(arguments: [SIGINT, SIGTERM, SIGKILL])
    func interrupted(_ signal: Int32) async throws {
        let recipient = try await key("key")
        let source = folder.file("endless")
        try #require(unsafe mkfifo(source, 0o600) == 0)
        let before = names
        let program = try Program(
            "mildam",
            ["file", "encrypt", "-r", recipient, "-o", "out", "endless"],
            folder: folder.path
        )
        let writer = try Descriptor.open(source, O_WRONLY)
        let piece = [UInt8](repeating: 7, count: 1 << 20)
        for _ in 0..<4 { try writer.write(piece.span) }
        program.signal(signal)
        #expect(program.wait().status != 0)
        #expect(names == before)
    }
}

extension [UInt8] {
    fileprivate func changed(at place: Int, by bits: UInt8) -> [UInt8] {
        var bytes = self
        bytes[place] ^= bits
        return bytes
    }
}
