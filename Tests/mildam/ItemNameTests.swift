import Foundation
import Glibc
import HouseSupport
import MildamKeychain
import TestSupport
import Testing

/// How somebody says which item of the keychain is meant.
@Suite("Names of items, at the command line")
struct ItemNameTests {
    private let folder: TemporaryFolder

    init() async throws {
        folder = try TemporaryFolder()
        try await makeKeychain(in: folder.file("home/default"))
    }

    private func variables(editor: String? = nil) -> [String: String] {
        let home = [
            "MILDAM_HOME": folder.file("home"), "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent",
            "MILDAM_PASSPHRASE": "correct horse", "VISUAL": "",
        ]
        return home.merging(editor.map { ["EDITOR": $0] } ?? [:]) { $1 }
    }

    private func mildam(
        _ arguments: String...,
        input: String? = nil,
        editor: String? = nil
    ) async throws -> Program.Result {
        try await Program.result(of: "mildam", arguments, input: input, environment: variables(editor: editor))
    }

    /// An editor that is a script of the shell; what it edits is `$1`.
    private func editor(_ script: String) throws -> String {
        try script.write(toFile: folder.file("editor"), atomically: false, encoding: .utf8)
        return "sh '\(folder.file("editor"))'"
    }

    private func end() async throws { expect(try await mildam("lock", "--stop"), 0) }

    /// What a browser exports: two logins of one server, which differ in the port, and one elsewhere.
    private func importLogins() async throws {
        let csv = """
            name,url,username,password,note
            Example,https://example.com/login,alice,old,
            Example,https://example.com:8443/,alice,of the port,
            GitHub,https://github.com/,me,forge,keep the codes

            """
        expect(try await mildam("keychain", "import", "-", "--format", "csv", input: csv), 0, "added 4")
    }

    private func count() async throws -> Int {
        try await mildam("keychain", "list").output.split(separator: "\n").count
    }

    @Test func aChangeHitsOneItemOrNone() async throws {
        try await importLogins()
        #expect(try await count() == 3, "a login and its note are one")
        // An imported login is replaced, whatever else it says of itself.
        let set = try await mildam("keychain", "set", "--server", "github.com", "me", input: "new")
        expect(set, 0, "kept, in place of what was in login github.com me (#")
        #expect(try await mildam("keychain", "get", "--server", "github.com", "me").output == "new")
        expect(try await mildam("keychain", "set", "github.com", input: "newer"), 0)
        #expect(try await mildam("keychain", "get", "github.com", "me").output == "newer")
        #expect(try await count() == 3, "nothing was added beside it")
        // Two fit: neither is touched, and both are named.
        for command in ["set", "generate", "edit", "history", "remove", "get"] {
            let refused = try await mildam("keychain", command, "--server", "example.com", "alice", input: "x")
            expect(refused, 6, "may be any of these", "--number", "example.com:8443", "example.com/login")
        }
        #expect(try await count() == 3, "a login and its note are one")
        let items = try await mildam("keychain", "list", "8443", "--json").output
        #expect(items == "{\"items\":[]}\n", "the port is no part of a name")
        struct List: Decodable {
            struct Item: Decodable {
                var number: Int
                var port: Int?
            }
            var items: [Item]
        }
        let list = try JSONDecoder().decode(
            List.self,
            from: Data(try await mildam("keychain", "list", "--json").output.utf8)
        )
        let number = try #require(list.items.first { $0.port == 8443 }?.number)
        #expect(try await mildam("keychain", "get", "example.com", "--number", "\(number)").output == "of the port")
        let removed = try await mildam("keychain", "remove", "example.com", "alice", "--number", "\(number)")
        expect(removed, 0, "removed login example.com:8443 alice (#\(number))")
        #expect(try await mildam("keychain", "get", "example.com").output == "old", "one is left, and needs no account")
        expect(try await mildam("keychain", "remove", "example.com", "--number", "\(number)"), 4)
        try await end()
    }

    @Test func whatIsListedIsFound() async throws {
        try await importLogins()
        expect(try await mildam("keychain", "set", "mail", "me", "--label", "Letters", input: "post"), 0)
        expect(
            try await mildam("keychain", "list"),
            0,
            "login  github.com  me  GitHub  (note)",
            "password  mail  me"
        )
        expect(try await mildam("keychain", "list", "GIT"), 0, "github.com")
        #expect(try await mildam("keychain", "list", "GIT").output.split(separator: "\n").count == 1)
        #expect(try await mildam("keychain", "list", "--kind", "note").output.split(separator: "\n").count == 1)
        #expect(try await mildam("keychain", "get", "mail").output == "post")
        #expect(try await mildam("keychain", "get", "Letters").output == "post", "by its label")
        #expect(try await mildam("keychain", "get", "MAI").output == "post", "by a part of its name")
        #expect(try await mildam("keychain", "get", "GitHub").output == "forge", "the login, not its note")
        expect(try await mildam("keychain", "get", "mial"), 4, "there is no item mial; did you mean mail?")
        expect(try await mildam("keychain", "get", "mail", "you"), 4, "there is no item mail of account you")
        expect(try await mildam("keychain", "set", "wifi", input: "air"), 0)
        expect(try await mildam("keychain", "get", "wifi", "you"), 4, "did you mean wifi?")
        // A part of a name is enough to read, and never to remove.
        expect(try await mildam("keychain", "remove", "mai"), 4, "there is no item mai")
        #expect(try await mildam("keychain", "get", "mail").output == "post")
        try await end()
    }

    /// Whatever class it is of, and whoever put it there.
    @Test func everyKindIsListedAndFound() async throws {
        try await importLogins()
        expect(try await mildam("otp", "add", "--issuer", "ACME", "--account", "bob", input: "JBSWY3DPEHPK3PXP"), 0)
        let made = try await mildam("enclave", "create", "work", "--software", "--pin-fd", "0", input: "three words\n")
        expect(made, 0, "BEGIN PUBLIC KEY")
        try await addCertificateAndKey()
        let lines = try await mildam("keychain", "list").output.split(separator: "\n")
        for line in ["certificate  Badge", "key  signet  Signet", "enclave-key  work  work"] {
            #expect(lines.contains { $0 == line }, "\(line) is missing: \(lines)")
        }
        #expect(lines.contains { $0.hasPrefix("one-time-code  ") } && lines.count == 7, "\(lines)")
        #expect(try await mildam("keychain", "list", "--kind", "certificate").output == "certificate  Badge\n")
        #expect(try await mildam("keychain", "get", "Badge").output == "of a certificate")
        #expect(try await mildam("keychain", "get", "signet").output == "of a key")
        expect(try await mildam("keychain", "get", "work", "--json"), 0, #""kind":"enclave-key""#)
        // What is listed is found by what it is listed as.
        struct List: Decodable {
            struct Item: Decodable {
                var number: Int
                var kind: String
                var service: String
                var label: String?
            }
            var items: [Item]
        }
        let json = try await mildam("keychain", "list", "--json").output
        for item in try JSONDecoder().decode(List.self, from: Data(json.utf8)).items {
            let name = item.service.isEmpty ? item.label ?? "" : item.service
            let found = try await mildam("keychain", "get", name, "--number", "\(item.number)", "--json")
            expect(found, 0, "\"kind\":\"\(item.kind)\"")
        }
        try await end()
    }

    /// As another program of this user adds them.
    private func addCertificateAndKey() async throws {
        var options = LocalKeychain.Options()
        options.isOwner = true
        let keychain = try LocalKeychain(path: folder.file("home/default/keychain.db"), options: options)
        try await keychain.unlock(.passphrase(SecretValue(text: "correct horse")))
        let certificate: ItemAttributes = [
            .label: .text("Badge"), .certificateType: 3, .issuer: .data([1]), .serialNumber: .data([7]),
        ]
        try keychain.add(NewItem(.certificate, certificate, secret: SecretValue(text: "of a certificate")))
        let key: ItemAttributes = [
            .label: .text("Signet"), .applicationTag: .data(Array("signet".utf8)), .keyClass: 1,
        ]
        try keychain.add(NewItem(.key, key, secret: SecretValue(text: "of a key")))
    }

    @Test func aPasswordIsMade() async throws {
        let made = try await mildam("keychain", "generate", "wifi", "--words", "5", "--show")
        #expect(made.output.wholeMatch(of: /([a-z]{5}-){4}[a-z]{5}\n/) != nil, "\(made)")
        #expect(try await mildam("keychain", "get", "wifi").output + "\n" == made.output)
        let quiet = try await mildam("keychain", "generate", "wifi", "--length", "40", "--no-symbols")
        expect(quiet, 0, "kept a password of 233 bits, in place of what was in password wifi (#")
        let second = try await mildam("keychain", "get", "wifi").output
        #expect(second.wholeMatch(of: /[A-Za-z2-9]{40}/) != nil && !quiet.output.contains(second))
        expect(try await mildam("keychain", "generate", "other", "--json"), 0, #""bits":122"#)
        #expect(try await mildam("keychain", "get", "other").output.count == 20)
        expect(try await mildam("keychain", "generate", "x", "--words", "5", "--length", "9"), 2, "--words")
        expect(try await mildam("keychain", "generate", "x", "--length", "7"), 2, "from 8 to 256")
        expect(try await mildam("keychain", "generate", "x", "--copy", "--show"), 2, "--show")
        expect(try await mildam("keychain", "generate", "x", "--copy", "--clear-after", "0"), 2, "--clear-after")
        expect(try await mildam("keychain", "get", "x"), 4)
        try await end()
    }

    @Test func anItemIsEdited() async throws {
        expect(try await mildam("keychain", "set", "mail", "me", input: "old"), 0)
        let kept = folder.file("seen")
        // Is it alone in its folder, for its owner's eyes, in memory, and without what belongs to this program?
        let script = """
            sh -c 'ls -ld "$(dirname "$0")" "$0" >"\(kept)"; stat -f -c %T "$0" >>"\(kept)"; env >>"\(kept)"; \
            printf "new secret\\n" >"$0"; cp "$0" "$0~"'
            """
        expect(try await mildam("keychain", "edit", "mail", editor: script), 0, "changed password mail me (#1)")
        #expect(try await mildam("keychain", "get", "mail").output == "new secret")
        let seen = try String(contentsOfFile: kept, encoding: .utf8)
        let lines = seen.split(separator: "\n")
        #expect(
            lines[0].hasPrefix("drwx------ ") && lines[1].hasPrefix("-rw------- ") && lines[2] == "tmpfs",
            "\(lines)"
        )
        #expect(!seen.contains("MILDAM_PASSPHRASE") && !seen.contains("correct horse"))
        let path = try #require(lines[0].split(separator: " ").last.map(String.init))
        #expect(!FileManager.default.fileExists(atPath: path), "what the editor left is gone, too")
        expect(try await mildam("keychain", "edit", "mail", editor: "true"), 0, "nothing was changed")
        let failed = try await mildam("keychain", "edit", "mail", editor: "sh -c 'echo x >\"$0\"; exit 7'")
        expect(failed, 1, "the editor ended with status 7; nothing was changed")
        expect(try await mildam("keychain", "edit", "mail", editor: "truncate -s 0"), 6, "an empty secret")
        #expect(try await mildam("keychain", "get", "mail").output == "new secret")
        // What is said of it.
        let said = try await mildam("keychain", "edit", "mail", "--new-account", "you", "--label", "Letters")
        expect(said, 0, "changed password mail me")
        #expect(try await mildam("keychain", "get", "Letters", "you").output == "new secret")
        expect(try await mildam("keychain", "edit", "mial", "--label", "x"), 4, "did you mean mail?")
        // A name that another item has is not taken from it.
        expect(try await mildam("keychain", "set", "mail", "them", input: "theirs"), 0)
        expect(try await mildam("keychain", "edit", "mail", "you", "--new-account", "them"), 6, "such an item already")
        #expect(try await mildam("keychain", "get", "mail", "them").output == "theirs")
        #expect(try await mildam("keychain", "get", "mail", "you").output == "new secret")
        try await end()
    }

    /// A signal that arrives once the editor has ended, while its file is read: the program ends by it, and not before that
    /// file is erased.
    @Test(arguments: [SIGTERM, SIGINT])
    func noSignalLeavesTheSecretThere(_ number: Int32) async throws {
        expect(try await mildam("keychain", "set", "mail", "me", input: "old"), 0)
        let program = try editOfAPipe()
        defer { program.signal(SIGKILL) }
        let path = try await pipe()
        let writer = try await writer(to: path)
        // The file is opened for writing when it is erased, which a pipe lets happen only while it has a reader.
        let reader = unsafe open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        defer { close(reader) }
        #expect(reader >= 0)
        program.signal(number)
        #expect(await eventually { hasTakenItsSignals(program.identifier) }, "it ended before the secret was erased")
        close(writer)
        let ended = try await program.end()
        #expect(ended.status == 128 + number, "\(ended)")
        #expect(!FileManager.default.fileExists(atPath: path))
        #expect(!FileManager.default.fileExists(atPath: String(path.dropLast("/secret".count))))
        #expect(try await mildam("keychain", "get", "mail").output == "old")
        try await end()
    }

    /// What ends the program before an error is told does not keep from anybody where their secret is.
    @Test func aSignalHidesNothingThatIsLeft() async throws {
        expect(try await mildam("keychain", "set", "mail", "me", input: "old"), 0)
        let program = try editOfAPipe()
        defer { program.signal(SIGKILL) }
        let path = try await pipe()
        defer { try? FileManager.default.removeItem(atPath: String(path.dropLast("/secret".count))) }
        let writer = try await writer(to: path)
        expect(try await mildam("keychain", "set", "mail", "me", "--replace", input: "other"), 0)
        program.signal(SIGTERM)
        #expect(await eventually { hasTakenItsSignals(program.identifier) })
        let written = unsafe Array("new".utf8).withUnsafeBytes { unsafe write(writer, $0.baseAddress, $0.count) }
        #expect(written == 3)
        close(writer)
        let ended = try await program.end()
        #expect(ended.status == 128 + SIGTERM, "\(ended)")
        #expect(ended.errors.contains("it is in \(path), until"), "\(ended)")
        #expect(try await mildam("keychain", "get", "mail").output == "other")
        try await end()
    }

    /// Edits a secret by an editor that makes the file a named pipe: the program waits at it, once that has ended, for as long as
    /// somebody holds the other end.
    private func editOfAPipe() throws -> Program {
        let script = "rm \"$1\" && mkfifo -m 600 \"$1\" && printf %s \"$1\" >'\(folder.file("seen"))'"
        return try Program(
            "mildam",
            ["keychain", "edit", "mail"],
            environment: variables(editor: try editor(script))
        )
    }

    /// Where the pipe is.
    private func pipe() async throws -> String {
        func place() -> String? {
            let path = try? whereItWrote
            return path?.hasSuffix("/secret") == true ? path : nil
        }
        try #require(await eventually { place() != nil })
        return try #require(place())
    }

    /// Opens a named pipe for writing, which nobody can before it is opened for reading.
    private func writer(to path: String) async throws -> Int32 {
        for _ in 0..<6000 {
            let writer = unsafe open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
            if writer >= 0 { return writer }
            try await Task.sleep(for: .milliseconds(5))
        }
        throw CocoaError(.fileReadUnknown, userInfo: [NSFilePathErrorKey: path])
    }

    /// Whether no signal is pending for a process, and its first thread, which takes them, is back at rest.
    private func hasTakenItsSignals(_ process: Int32) -> Bool {
        func field(_ name: String) -> String? {
            let status = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
            return status?.split(separator: "\n").first { $0.hasPrefix(name + ":") }.map(String.init)
        }
        // In this order: a thread that has taken one is not at rest until its handler is through.
        guard let pending = field("ShdPnd"), pending.dropFirst(7).allSatisfy({ $0 == "0" || $0.isWhitespace }) else {
            return false
        }
        return field("State")?.contains("(sleeping)") == true
    }

    /// An editor that does something with the keychain, writes "new", and says where: `whereItWrote` knows.
    private func editor(doing command: String) throws -> String {
        let program = try Program.find("mildam")
        return try editor(
            """
            printf %s "$1" >'\(folder.file("seen"))'
            export MILDAM_HOME='\(folder.file("home"))'
            mildam() { '\(program)' "$@" >/dev/null; }
            \(command) || exit 9
            printf new >"$1"
            """
        )
    }

    private var whereItWrote: String {
        get throws { try String(contentsOfFile: folder.file("seen"), encoding: .utf8) }
    }

    @Test(arguments: ["mildam lock", "mildam lock --close", "mildam lock --stop"])
    func aLockWhileTheEditorRunsCostsNothing(_ command: String) async throws {
        expect(try await mildam("keychain", "set", "mail", "me", input: "old"), 0)
        let edited = try await mildam("keychain", "edit", "mail", editor: try editor(doing: command))
        expect(edited, 0, "changed password mail me (#1)")
        let path = try whereItWrote
        #expect(edited.errors.contains("until it is kept, what was written is in \(path)"), "\(edited)")
        #expect(try await mildam("keychain", "get", "mail").output == "new")
        #expect(!FileManager.default.fileExists(atPath: path))
        #expect(!FileManager.default.fileExists(atPath: String(path.dropLast("/secret".count))))
        try await end()
    }

    @Test func whatCannotBeKeptIsLeftAndNamed() async throws {
        expect(try await mildam("keychain", "set", "mail", "me", input: "old"), 0)
        let script = try editor(doing: "printf other | mildam keychain set mail me --replace")
        let refused = try await mildam("keychain", "edit", "mail", editor: script)
        let path = try whereItWrote
        defer { try? FileManager.default.removeItem(atPath: String(path.dropLast("/secret".count))) }
        expect(refused, 6, "another program has changed the item meanwhile", "what was written is not lost")
        #expect(refused.errors.contains("it is in \(path), until"), "\(refused)")
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "new")
        let permissions = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(permissions == 0o600)
        #expect(try await mildam("keychain", "get", "mail").output == "other")
        expect(try await mildam("keychain", "set", "mail", "me", "--replace", "--secret-file", path), 0)
        #expect(try await mildam("keychain", "get", "mail").output == "new")
        try await end()
    }

    /// The keychain was locked, and nobody is there who could open it.
    @Test func whoCannotBeAskedFindsWhatWasWritten() async throws {
        expect(try await mildam("keychain", "set", "mail", "me", input: "old"), 0)
        var unasked = variables(editor: try editor(doing: "mildam lock"))
        unasked["MILDAM_PASSPHRASE"] = nil
        let refused = try await Program.result(of: "mildam", ["keychain", "edit", "mail"], environment: unasked)
        let path = try whereItWrote
        defer { try? FileManager.default.removeItem(atPath: String(path.dropLast("/secret".count))) }
        #expect(refused.status == 6 && refused.errors.contains("there is no terminal to ask"), "\(refused)")
        #expect(refused.errors.contains("it is in \(path), until"), "\(refused)")
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "new")
        #expect(try await mildam("keychain", "get", "mail").output == "old")
        try await end()
    }

    @Test func anEditorThatIsStoppedGoesOn() async throws {
        expect(try await mildam("keychain", "set", "mail", "me", input: "old"), 0)
        let session = try TerminalSession(
            "set -m; \"$1\" keychain edit mail; echo \"stopped with $?\"; fg; echo \"ended with $?\"; sleep 60",
            [try Program.find("mildam")],
            environment: variables(editor: try editor("echo editing; read -r line; printf %s \"$line\" >\"$1\""))
        )
        #expect(try await session.see("editing"), "\(session.rows)")
        session.type("\u{1a}")
        #expect(try await session.see("stopped with \(128 + SIGSTOP)"), "\(session.rows)")
        session.type("new\r")
        #expect(try await session.see("ended with 0"), "\(session.rows)")
        #expect(try await mildam("keychain", "get", "mail").output == "new")
        try await end()
    }

    @Test func theProfilesOwnKeyIsNotMeant() async throws {
        let house = try await House.open()
        let alice = try await house.people("alice")[0]
        try await makeKeychain(in: alice.folder)
        let variables = alice.variables.merging(["MILDAM_PASSPHRASE": "correct horse"]) { $1 }
        func keychain(_ arguments: String..., input: String? = nil) async throws -> Program.Result {
            try await Program.result(of: "mildam", ["keychain"] + arguments, input: input, environment: variables)
        }
        // What the keychain keeps once it is open is the profile's key, too.
        for command in [["unlock"], ["room", "list"]] {
            expect(try await Program.result(of: "mildam", command, environment: variables), 0)
        }
        expect(try await keychain("list"), 0, "profile-key  mildam root key")
        expect(try await keychain("get", "root"), 4)
        expect(try await keychain("remove", "mildam root key", "present"), 6, "the key of the profile itself")
        expect(try await keychain("set", "mildam root key", "present", input: "x"), 6, "the key of the profile itself")
        expect(try await keychain("list"), 0, "profile-key  mildam root key")
        expect(try await alice.run("lock", "--stop"), 0)
    }
}
