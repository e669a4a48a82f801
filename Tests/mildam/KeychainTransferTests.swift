import Foundation
import Glibc
import HouseSupport
import TestSupport
import Testing

/// `mildam keychain import` and `export`, as they are typed.
@Suite("A keychain's imports and exports, at the command line")
struct KeychainTransferTests {
    private let folder: TemporaryFolder
    private let csv: String

    init() throws {
        folder = try TemporaryFolder()
        csv = folder.file("passwords.csv")
        try """
        name,url,username,password,note,otpauth
        Example,https://example.com/login,alice,hunter2,the answer is 42,otpauth://totp/Example:alice?secret=GEZDGNBV&issuer=Example
        Safe,,bob,swordfish,,GEZD GNBV
        Odd,,carol,pw,,no base32!
        """.write(toFile: csv, atomically: true, encoding: .utf8)
    }

    private func mildam(
        _ arguments: String...,
        input: String? = nil,
        environment: [String: String] = [:]
    ) async throws -> Program.Result {
        try await mildam(arguments, input: input, environment: environment)
    }

    private func mildam(
        _ arguments: [String],
        input: String? = nil,
        environment: [String: String] = [:]
    ) async throws -> Program.Result {
        try await Program.result(
            of: "mildam",
            arguments,
            input: input,
            environment: variables.merging(environment) { $1 }
        )
    }

    private var variables: [String: String] {
        [
            "MILDAM_HOME": folder.file("home"), "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent",
            "MILDAM_PASSPHRASE": "correct horse",
        ]
    }

    private func end() async throws { _ = try await mildam("lock", "--stop") }

    private func object(_ result: Program.Result) throws -> [String: Any] {
        try #require(JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any], "\(result)")
    }

    private func count(_ name: String, _ result: Program.Result) throws -> Int {
        try #require(object(result)[name] as? Int, "\(result)")
    }

    /// A file of one line.
    private func file(_ name: String, _ line: String) throws -> String {
        try (line + "\n").write(toFile: folder.file(name), atomically: true, encoding: .utf8)
        return folder.file(name)
    }

    @Test func whatAFileHoldsIsAddedOnceAndSaid() async throws {
        try await makeKeychain(in: folder.file("home/default"))
        let trial = try await mildam("keychain", "import", "--dry-run", csv)
        #expect(trial.status == 0 && trial.output == "would add 7\n", "\(trial)")
        #expect(trial.errors.contains("is comma-separated values, by its content"), "\(trial)")
        #expect(try await mildam("keychain", "list").output == "nothing\n")
        let added = try await mildam("keychain", "import", csv)
        #expect(added.status == 0 && added.output == "added 7\n", "\(added)")
        #expect(try await mildam("keychain", "get", "--server", "example.com", "alice").output == "hunter2")
        #expect(try await mildam("keychain", "get", "Safe", "bob").output == "swordfish")
        // Codes are tokens like others, and what is none is lost no more than it stands in the way of the others.
        let tokens = try await mildam("otp", "list")
        #expect(tokens.output == "Example:alice  TOTP, 30 s\nSafe:bob  TOTP, 30 s\n", "\(tokens)")
        #expect(try await mildam("keychain", "get", "field: one-time code", "carol Odd").output == "no base32!")

        let changed = folder.file("changed.csv")
        let text = try String(contentsOfFile: csv, encoding: .utf8)
        try text.replacingOccurrences(of: "swordfish", with: "mackerel")
            .write(toFile: changed, atomically: true, encoding: .utf8)
        let again = try await mildam("keychain", "import", changed)
        #expect(again.status == 0 && again.output.contains("already there: Safe, password\n"), "\(again)")
        #expect(again.output.hasSuffix("added 0, kept 7 that were there already (--replace takes the file's)\n"))
        #expect(try await mildam("keychain", "get", "Safe", "bob").output == "swordfish")
        let replaced = try await mildam("keychain", "import", changed, "--replace", "--json")
        #expect(try count("replaced", replaced) == 7 && count("added", replaced) == 0)
        #expect(try await mildam("keychain", "get", "Safe", "bob").output == "mackerel")
        // What it replaces is kept, as of any other change.
        let history = try await mildam("keychain", "history", "Safe", "bob").output
        let number = try #require(history.split(separator: " ").first.map(String.init))
        #expect(try await mildam("keychain", "history", "Safe", "bob", "--show", number).output == "swordfish")
        for result in [trial, added, again, replaced] {
            for secret in ["hunter2", "swordfish", "mackerel", "GEZD"] {
                #expect(!(result.output + result.errors).contains(secret), "\(result)")
            }
        }
        try await end()
    }

    @Test func aCounterDoesNotGoBackByAnImport() async throws {
        try await makeKeychain(in: folder.file("home/default"))
        // RFC 4226, appendix D.
        let uri = "otpauth://hotp/Bank:bob?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Bank&counter="
        let first = try file("first.csv", "name,username,password,otpauth\nBank,bob,one,\(uri)0")
        let later = try file("later.csv", "name,username,password,otpauth\nBank,bob,two,\(uri)8")
        let (bundle, passphrase) = (folder.file("backup.age"), try file("passphrase", "open sesame"))
        expect(try await mildam("keychain", "import", first), 0, "added 2")
        expect(try await mildam("keychain", "export", bundle, "--password-file", passphrase), 0)
        #expect(try await mildam("otp", "code", "Bank").output == "755224\n")
        expect(try await mildam("keychain", "import", "--replace", first), 0, "replaced 2")
        #expect(try await mildam("otp", "code", "Bank").output == "287082\n")
        let replaced = try await mildam("keychain", "import", "--replace", bundle, "--password-file", passphrase)
        expect(replaced, 0, "replaced 2")
        #expect(try await mildam("otp", "code", "Bank").output == "359152\n")
        // The rest is the file's, and so is a counter that is further.
        expect(try await mildam("keychain", "import", "--replace", later), 0, "replaced 2")
        #expect(try await mildam("keychain", "get", "Bank", "bob").output == "two")
        #expect(try await mildam("otp", "code", "Bank").output == "399871\n")
        try await end()
    }

    @Test func whatLiesInARecycleBinIsCounted() async throws {
        try await makeKeychain(in: folder.file("home/default"))
        let xml = """
            <KeePassFile><Meta><RecycleBinUUID>BIN=</RecycleBinUUID></Meta><Root><Group><UUID>R=</UUID><Name>Db</Name>
            <Entry><String><Key>Title</Key><Value>Kept</Value></String>
            <String><Key>Password</Key><Value>a</Value></String></Entry>
            <Group><UUID>BIN=</UUID><Name>Bin</Name><Entry><String><Key>Title</Key><Value>Gone</Value></String>
            <String><Key>Password</Key><Value>b</Value></String></Entry><Group><Name>Old</Name><Entry/></Group></Group>
            </Group></Root></KeePassFile>
            """
        let keePass = try await mildam("keychain", "import", "-", input: xml)
        #expect(keePass.output == "left out: entries in the recycle bin, 2\nadded 1\n", "\(keePass)")
        let rows = "Group,Title,Username,Password,URL,Notes\nDb,Mine,u,c,,\nDb/Recycle Bin,Gone,u,d,,\n"
        let keePassXC = try await mildam("keychain", "import", "-", "--json", input: rows)
        let leftOut = try #require(object(keePassXC)["leftOut"] as? [String: Int])
        #expect(leftOut == ["entries in the recycle bin": 1], "\(keePassXC)")
        let listed = try await mildam("keychain", "list").output
        #expect(listed.contains("Kept") && listed.contains("Mine") && !listed.contains("Gone"), "\(listed)")
        try await end()
    }

    @Test func whatIsRefusedIsNamedWithItsReason() async throws {
        try await makeKeychain(in: folder.file("home/default"))
        let path = try file("bad.csv", "name,username,password\nA,a,1\nB,b\nC,c,3\nC,c,4")
        let result = try await mildam("keychain", "import", path)
        #expect(result.status == 1 && result.output == "added 2, refused 2\n", "\(result)")
        #expect(result.errors.contains("row 2: it has 2 fields, and the first row 3"), "\(result)")
        #expect(result.errors.contains("row 4, C, password: an earlier row is of the same place"), "\(result)")
        let json = try await mildam("keychain", "import", path, "--json")
        let rows = try #require(object(json)["rows"] as? [[String: Any]])
        #expect(rows.compactMap { $0["outcome"] as? String } == ["alreadyThere", "refused", "alreadyThere", "refused"])
        #expect(try await mildam("keychain", "import", file("x", "no such format")).status == 5)
        #expect(try await mildam("keychain", "import", file("y", "{}")).status == 5)
        #expect(try await mildam("keychain", "import", folder.file("missing")).status == 4)
        #expect(try await mildam("keychain", "import").status == 2)
        try await end()
    }

    @Test func fromStandardInputAndUnderAName() async throws {
        try await makeKeychain(in: folder.file("home/default"))
        let xml = """
            <?xml version="1.0" encoding="utf-8"?><KeePassFile><Root><Group><Name>Db</Name><Entry>
            <String><Key>Title</Key><Value>Site</Value></String><String><Key>UserName</Key><Value>u</Value></String>
            <String><Key>Password</Key><Value>p&amp;w</Value></String></Entry></Group></Root></KeePassFile>
            """
        let result = try await mildam("keychain", "import", "-", input: xml)
        #expect(result.output == "added 1\n" && result.errors.contains("standard input is an XML export"), "\(result)")
        #expect(try await mildam("keychain", "get", "Site", "u").output == "p&w")
        let bitwarden = #"{"encrypted":false,"items":[{"type":1,"name":"B","login":{"username":"u","password":"q"}}]}"#
        let named = try await mildam("keychain", "import", "-", "--format", "bitwarden", input: bitwarden)
        #expect(named.output == "added 1\n" && named.errors.isEmpty, "\(named)")
        let other = try await mildam("keychain", "import", "-", "--format", "keepass", input: bitwarden)
        #expect(other.status == 5 && other.errors.hasPrefix("mildam: standard input: "), "\(other)")
        try await end()
    }

    @Test func aBundleGoesFromOneKeychainToAnother() async throws {
        try await makeKeychain(in: folder.file("home/default"))
        #expect(try await mildam("keychain", "import", csv).status == 0)
        #expect(
            try await mildam(
                ["keychain", "set", "here", "me", "--accessible", "unlocked-this-device"],
                input: "stays"
            ).status == 0
        )
        let (bundle, passphrase) = (folder.file("backup.age"), try file("passphrase", "open sesame"))
        let written = try await mildam("keychain", "export", bundle, "--password-file", passphrase)
        #expect(written.status == 0, "\(written)")
        #expect(written.output == "wrote 7 items to \(bundle), left out 1 that stay on this device\n", "\(written)")
        let mode = try FileManager.default.attributesOfItem(atPath: bundle)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        let taken = try await mildam("keychain", "export", bundle, "--password-file", passphrase)
        #expect(taken.status == 6 && taken.errors.contains("--force"), "\(taken)")
        let forced = try await mildam("keychain", "export", bundle, "--force", "--password-file", passphrase)
        #expect(forced.status == 0, "\(forced)")
        #expect(try await mildam("keychain", "audit").output.contains("readPastAgent"))
        try await end()

        let other = ["MILDAM_HOME": folder.file("other"), "MILDAM_PASSPHRASE": "another"]
        try await makeKeychain(in: folder.file("other/default"), passphrase: "another")
        let wrong = try file("wrong", "open sesam")
        let refused = try await mildam("keychain", "import", bundle, "--password-file", wrong, environment: other)
        #expect(refused.status == 3 && refused.output.isEmpty, "\(refused)")
        let added = try await mildam("keychain", "import", bundle, "--password-file", passphrase, environment: other)
        #expect(added.status == 0 && added.output.hasSuffix("added 7\n"), "\(added)")
        #expect(added.output.contains("left out: items that stay on the device that wrote it, 1"), "\(added)")
        let secret = try await mildam("keychain", "get", "Safe", "bob", environment: other)
        #expect(secret.output == "swordfish", "\(secret)")
        #expect(try await mildam("otp", "list", environment: other).output.contains("Example:alice"))
        _ = try await mildam("lock", "--stop", environment: other)
    }

    @Test func aBundleForARecipientIsOneOfAges() async throws {
        try await makeKeychain(in: folder.file("home/default"))
        #expect(try await mildam("keychain", "import", csv).status == 0)
        let (key, bundle) = (folder.file("key.txt"), folder.file("backup.age"))
        let made = try await mildam("file", "keygen", "-o", key, "--json")
        let recipient = try #require(object(made)["recipient"] as? String)
        let written = try await mildam("keychain", "export", "-r", recipient, bundle, "--json")
        #expect(try count("items", written) == 7 && count("staysOnThisDevice", written) == 0)
        #expect(try await mildam("keychain", "import", bundle).status == 2, "its key is not named")
        let again = try await mildam("keychain", "import", bundle, "-i", key, "--json")
        #expect(try count("alreadyThere", again) == 7 && count("added", again) == 0)
        let opened = try await mildam("file", "decrypt", "-i", key, bundle)
        #expect(opened.output.contains("mildam keychain bundle"), "\(opened)")
        for needle in ["swordfish", Data("swordfish".utf8).base64EncodedString()] {
            #expect(try Data(contentsOf: URL(fileURLWithPath: bundle)).range(of: Data(needle.utf8)) == nil)
        }
        #expect(opened.output.contains(Data("swordfish".utf8).base64EncodedString()), "the search is for what is there")
        try await end()
    }

    @Test func plainSecretsAreWrittenOnlyIfThatIsSaid() async throws {
        try await makeKeychain(in: folder.file("home/default"))
        #expect(try await mildam("keychain", "import", csv).status == 0)
        let path = folder.file("out.csv")
        let refused = try await mildam("keychain", "export", "--format", "csv", path)
        #expect(refused.status == 2 && refused.errors.contains("--plain"), "\(refused)")
        #expect(!FileManager.default.fileExists(atPath: path))
        #expect(try await mildam("keychain", "export", "--plain", path).status == 2)
        let written = try await mildam("keychain", "export", "--format", "csv", "--plain", path)
        #expect(written.status == 0 && written.errors.contains("shows every password"), "\(written)")
        let text = try String(contentsOfFile: path, encoding: .utf8)
        #expect(text.hasPrefix("name,url,username,password,note,otpauth\r\n") && text.contains("swordfish"), "\(text)")
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        #expect(try await mildam("keychain", "export", "--format", "csv", "--plain", path).status == 6)
        let folderPath = try await mildam("keychain", "export", "--force", folder.path)
        #expect(folderPath.status == 2, "\(folderPath)")
        try await end()
    }

    @Test func whatIsDamagedIsNamedAndTheRestIsWritten() async throws {
        try await makeKeychain(in: folder.file("home/default"))
        for name in ["a", "b", "c"] {
            #expect(try await mildam("keychain", "set", "service \(name)", name, input: name).status == 0)
        }
        try await end()
        let file = folder.file("home/default/keychain.db")
        let sql = "UPDATE item SET secret = zeroblob(99) WHERE number = 2"
        #expect(try await Program.result(of: "sqlite3", [file, sql]).status == 0)
        #expect(try await mildam("keychain", "copies", "--forget", "--yes").status == 0)
        #expect(try await mildam("keychain", "repair").status == 0)
        let (bundle, passphrase) = (folder.file("backup.age"), try self.file("passphrase", "open sesame"))
        let written = try await mildam("keychain", "export", bundle, "--password-file", passphrase)
        #expect(written.status == 5 && written.output.hasPrefix("wrote 2 items"), "\(written)")
        #expect(written.errors.contains("item 2 (service b) is damaged, and not in the file"), "\(written)")
        try await end()
    }

    /// Each item is a transaction of its own: one that ends in the middle leaves what it had added, and nothing by halves.
    @Test func anImportThatIsKilledIsCompletedByAnother() async throws {
        try await makeKeychain(in: folder.file("home/default"))
        let count = Count.of(few: 300, full: 1000)
        var lines = ["name,username,password"]
        for number in 0..<count { lines.append("site \(number),user,password \(number)") }
        let path = try file("many.csv", lines.joined(separator: "\n"))
        #expect(try await mildam("unlock").status == 0)
        let first = try Program("mildam", ["keychain", "import", path], environment: variables)
        let database = folder.file("home/default/keychain.db")
        // Some are there, and some are not.
        for _ in 0..<2000 {
            let asked = try Program.run("sqlite3", [database, "SELECT count(*) FROM item"])
            if Int(asked.output.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0 >= 10 { break }
            usleep(5000)
        }
        first.signal(SIGKILL)
        let killed = try await first.end()
        #expect(killed.status == 128 + SIGKILL, "it was over before it could be killed: \(killed)")
        let second = try await mildam("keychain", "import", path, "--json")
        let (added, there) = (try self.count("added", second), try self.count("alreadyThere", second))
        #expect(there >= 10 && added > 0 && added + there == count, "\(added) \(there)")
        for number in [0, there - 1, there, count - 1] {
            #expect(try await mildam("keychain", "get", "site \(number)", "user").output == "password \(number)")
        }
        #expect(try await mildam("keychain", "verify").output.hasPrefix("\(count) items, 0 damaged"))
        try await end()
    }

    @Test(.enabled(if: Desktop.isExpected))
    func theDesktopsKeyringIsImported() async throws {
        let desktop = try Desktop()
        try desktop.store("hunter2", label: "My label", ["service", "mail", "username", "alice"])
        try await makeKeychain(in: folder.file("home/default"))
        let arguments = ["keychain", "import", "--format", "secret-service"]
        let session = ["DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR"].reduce(into: [String: String]()) {
            $0[$1] = desktop.environment[$1]
        }
        let result = try await mildam(arguments, environment: session)
        #expect(result.status == 0 && result.output == "added 1\n", "\(result)")
        #expect(try await mildam("keychain", "get", "mail", "alice").output == "hunter2")
        try desktop.lock()
        let locked = try await mildam(arguments, environment: session)
        #expect(locked.status == 6 && locked.errors.contains("row 1, My label: it is locked"), "\(locked)")
        try await end()
    }

    @Test func withoutADesktopThereIsNoKeyring() async throws {
        try await makeKeychain(in: folder.file("home/default"))
        let nowhere = ["DBUS_SESSION_BUS_ADDRESS": "", "XDG_RUNTIME_DIR": folder.path]
        let result = try await mildam(["keychain", "import", "--format", "secret-service"], environment: nowhere)
        #expect(result.status == 1 && result.errors.contains("there is no session bus"), "\(result)")
        let shown = try await Program.result(of: "mildam-keyring", ["read"], environment: nowhere)
        #expect(shown.status == 1 && shown.output.contains("there is no session bus"), "\(shown)")
        try await end()
    }

    /// The program with an open keychain has none of the desktop's libraries in it.
    @Test func onlyTheKeyringsProgramLinksLibsecret() async throws {
        let own = try await Program.result(of: "ldd", [Program.find("mildam")])
        #expect(own.status == 0 && !own.output.contains("libsecret") && !own.output.contains("libglib"), "\(own)")
        let keyring = try await Program.result(of: "ldd", [Program.find("mildam-keyring")])
        #expect(keyring.output.contains("libsecret"), "the search is for what is there: \(keyring)")
    }
}
