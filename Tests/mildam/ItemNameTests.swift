import Foundation
import Glibc
import HouseSupport
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
        for command in ["set", "remove", "get"] {
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
        try await end()
    }

    /// The second of two signals ends the program: after the secret is erased, not before.
    @Test func noSignalLeavesTheSecretThere() async throws {
        expect(try await mildam("keychain", "set", "mail", "me", input: "old"), 0)
        let seen = folder.file("seen")
        let script = """
            printf %s "$1" >'\(seen)'
            pid=$PPID
            while [ "$(cat /proc/$pid/comm)" != mildam ]; do
                [ "$pid" -gt 1 ] || exit 9
                pid=$(cut -d ' ' -f 4 /proc/$pid/stat)
            done
            kill -STOP $pid
            kill -TERM $pid
            kill -INT $pid
            (sleep 1; kill -CONT $pid) >/dev/null 2>&1 &
            """
        let ended = try await mildam("keychain", "edit", "mail", editor: try editor(script))
        // Or it was at its end before it saw them.
        #expect([128 + SIGINT, 128 + SIGTERM, 0].contains(ended.status), "\(ended)")
        let path = try String(contentsOfFile: seen, encoding: .utf8)
        try #require(path.hasSuffix("/secret"))
        #expect(!FileManager.default.fileExists(atPath: path))
        #expect(!FileManager.default.fileExists(atPath: String(path.dropLast("/secret".count))))
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
