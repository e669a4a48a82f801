import Foundation
import MildamIdentity
import MildamRelayAPI
import TestSupport
import Testing

@Suite("The program mildam-relay")
struct ProgramTests {
    @Test("serves until it is told to stop, and hangs up on nobody's terminal", arguments: [SIGTERM, SIGINT])
    func stops(_ signal: Int32) async throws {
        let folder = try TemporaryFolder()
        let program = try Program("mildam-relay", ["serve", "--data", folder.file("data"), "--listen", "127.0.0.1:0"])
        let line = try #require(program.line(containing: "listening on http://127.0.0.1:"))
        let relay = try OutsideRelay(line)
        #expect(try await relay.ask(Routes.relay.at(), nil).status == 200)
        program.signal(SIGHUP)
        #expect(try await relay.ask(Routes.relay.at(), nil).status == 200)
        program.signal(signal)
        let result = program.wait()
        #expect(result.status == 0 && result.output == line + "\n")
    }

    @Test("the log begins with what runs, where and for whom, and ends with its end")
    func log() async throws {
        let folder = try TemporaryFolder()
        let program = try Program(
            "mildam-relay",
            [
                "serve", "--data", folder.file("data"), "--listen", "127.0.0.1:0", "--registration", "closed",
                "--log", "json", "--public-url", "https://chat.example.org", "--public-url",
                "https://chat.example.net",
            ]
        )
        let words = try #require(program.line(containing: "listening on")).split(separator: " ")
        program.signal(SIGTERM)
        let lines = program.wait().errors.split(separator: "\n")
        let line = try #require(lines.first)
        let first = try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        #expect(first["event"] as? String == "started" && first["level"] as? String == "info", "\(first)")
        #expect(first["listening"] as? String == String(words[2]) && first["relay"] as? String == String(words[4]))
        #expect(first["public_urls"] as? String == "https://chat.example.org https://chat.example.net")
        #expect(first["registration"] as? String == "closed" && first["data"] as? String == folder.file("data"))
        let version = try Program.run("mildam-relay", ["--version"])
        #expect(version.output.hasSuffix(" \(try #require(first["version"] as? String))\n"), "\(version)")
        #expect(lines.count == 3 && lines[1].contains("stopping") && lines[2].contains("stopped"), "\(lines)")
    }

    @Test("a folder that was put back from a copy is another store: noticed by its mark, or told")
    func putBack() async throws {
        let folder = try TemporaryFolder()
        let data = folder.file("data")
        let arguments = ["serve", "--data", data, "--listen", "127.0.0.1:0", "--log", "json"]
        func serve() throws -> String {
            let program = try Program("mildam-relay", arguments)
            defer { program.signal(SIGKILL) }
            try #require(program.line(containing: "listening on") != nil)
            let busy = try Program.run("mildam-relay", ["restore", "--data", data])
            #expect(busy.status == 6 && busy.errors.contains("another relay is running"), "\(busy)")
            program.signal(SIGTERM)
            return program.wait().errors
        }
        let none = try Program.run("mildam-relay", ["restore", "--data", data])
        #expect(none.status != 0 && none.errors.contains("has no relay's data"), "\(none)")
        #expect(try !serve().contains("store_put_back"))
        #expect(try !serve().contains("store_put_back"), "it is what it was")
        try FileManager.default.removeItem(atPath: data + "/mark")
        #expect(try serve().contains("store_put_back"), "a copy has no mark")
        #expect(try !serve().contains("store_put_back"), "and has one from here on")
        let told = try Program.run("mildam-relay", ["restore", "--data", data, "--json"])
        #expect(told.status == 0 && told.output.contains("\"incarnation\""), "\(told)")
        let again = try Program.run("mildam-relay", ["restore", "--data", data])
        #expect(again.status == 0 && again.output.hasPrefix("put back; for a day"), "\(again)")
        #expect(try !serve().contains("store_put_back"), "it was told")
    }

    @Test("its figures say what it keeps, from the first minute on")
    func figures() async throws {
        let folder = try TemporaryFolder()
        let arguments = ["serve", "--data", folder.file("data"), "--listen", "127.0.0.1:0"]
        let first = try Program("mildam-relay", arguments)
        let relay = try OutsideRelay(try #require(first.line(containing: "listening on")))
        _ = try await RoomOwner("alice", at: relay)
        first.signal(SIGTERM)
        #expect(first.wait().status == 0)
        let again = try Program("mildam-relay", arguments)
        defer { again.signal(SIGKILL) }
        let later = try OutsideRelay(try #require(again.line(containing: "listening on")))
        var page = ""
        for _ in 0..<100 where !page.contains("mildam_accounts") {
            try await Task.sleep(for: .milliseconds(20))
            page = String(decoding: try await later.ask(.get, "/metrics", nil).body, as: UTF8.self)
        }
        for line in ["mildam_accounts 1", "mildam_sessions 1", "mildam_rooms 1"] {
            #expect(page.contains("\n\(line)\n"), "\(page)")
        }
        for name in ["stored_bytes", "database_bytes", "disk_free_bytes", "disk_size_bytes"] {
            let line = page.split(separator: "\n").first { $0.hasPrefix("mildam_\(name) ") }
            let value = line?.split(separator: " ").last.flatMap { Double($0) }
            #expect(try #require(value, "\(page)") > 0, "\(page)")
        }
    }

    /// Each is bounded by `RelayQuota.maximumBytes`; beside an account's own there is a reserve, for blocking among others.
    @Test("quotas of the largest size that can be written are taken, and counted with")
    func largestQuotas() async throws {
        let folder = try TemporaryFolder()
        var arguments = ["serve", "--data", folder.file("data"), "--listen", "127.0.0.1:0"]
        for quota in ["--room-quota", "--account-quota", "--network-quota"] { arguments += [quota, "\(Int.max)"] }
        let program = try Program("mildam-relay", arguments)
        defer { program.signal(SIGKILL) }
        let relay = try OutsideRelay(try #require(program.line(containing: "listening on")))
        let alice = try await RoomOwner("alice", at: relay)
        for standing in SenderStanding.allCases {
            let request = StandingRequest(account: .random(), standing: standing)
            #expect(try await relay.ask(Routes.putStanding.at(.random()), alice.token, request).status == 204)
        }
        #expect(try await alice.say(Array("all of it".utf8)).status == 201)
    }

    struct Wrong: Sendable, CustomTestStringConvertible {
        let arguments: [String]
        let status: Int32
        let words: String
        var testDescription: String { arguments.joined(separator: " ") }
    }

    static let wrong = [
        Wrong(arguments: [], status: 2, words: "mildam-relay"),
        Wrong(arguments: ["serve", "--listen", "localhost:1"], status: 2, words: "numeric address"),
        Wrong(arguments: ["serve", "--listen", "127.0.0.1"], status: 2, words: "numeric address"),
        Wrong(arguments: ["serve", "--certificate", "x"], status: 2, words: "go together"),
        Wrong(arguments: ["serve", "--listen", "0.0.0.0:0"], status: 2, words: "--public-url https://HOST"),
        Wrong(arguments: ["serve", "--message-bytes", "0"], status: 2, words: "--message-bytes takes a size"),
        Wrong(arguments: ["serve", "--behind-proxy"], status: 2, words: "--public-url https://HOST"),
        Wrong(arguments: ["serve", "--registration", "some"], status: 2, words: "one of open, invite, closed"),
        Wrong(arguments: ["serve", "--requests", "some"], status: 2, words: "one of open, link-only"),
        Wrong(arguments: ["invite", "--count", "0"], status: 2, words: "1 to 1000"),
        Wrong(arguments: ["invite", "--days", "400"], status: 2, words: "1 to 365"),
        Wrong(arguments: ["invite"], status: 4, words: "no relay's data"),
        Wrong(
            arguments: ["serve", "--listen", "127.0.0.1:0", "--public-url", "relay.example"],
            status: 2,
            words: "relay.example is no address"
        ),
        Wrong(
            arguments: ["serve", "--listen", "0.0.0.0:0", "--public-url", "http://relay.example"],
            status: 6,
            words: "--plain-anywhere"
        ),
        Wrong(
            arguments: ["serve", "--listen", "127.0.0.1:0", "--certificate", "/nowhere", "--key", "/nowhere"],
            status: 4,
            words: "cannot open /nowhere: No such file or directory"
        ),
        Wrong(arguments: ["serve", "--data", "/dev/null/data"], status: 6, words: "Not a directory"),
        Wrong(arguments: ["user", "list", "--data", "/dev/null/data"], status: 6, words: "Not a directory"),
        Wrong(arguments: ["invite", "--data", "/dev/null/data"], status: 6, words: "Not a directory"),
    ]

    @Test("is refused", arguments: wrong)
    func refused(_ wrong: Wrong) throws {
        let folder = try TemporaryFolder()
        let result = try Program.run(
            "mildam-relay",
            wrong.arguments,
            environment: ["XDG_DATA_HOME": folder.path, "HOME": folder.path]
        )
        #expect(result.status == wrong.status, "\(result)")
        #expect(result.errors.contains(wrong.words), "\(result)")
        #expect(result.output.isEmpty)
        let said = result.errors.split(separator: "\n").count { $0.hasPrefix("mildam-relay: ") }
        #expect(said == 1 || wrong.status == 2, "\(result)")
    }

    @Test(
        "a certificate that may not be read is refused, and told as that",
        .enabled(if: Program.areExpected(["setpriv"], from: "util-linux"))
    )
    func unreadableCertificate() throws {
        let folder = try TemporaryFolder()
        let file = folder.file("chain.pem")
        try #require(FileManager.default.createFile(atPath: file, contents: nil))
        try #require(unsafe chmod(file, 0) == 0)
        // Root is kept from nothing, unless that is taken from it.
        let rights = "-dac_override,-dac_read_search"
        let bare = getuid() == 0 ? ["setpriv", "--bounding-set", rights, "--inh-caps", rights] : []
        let words =
            bare + [
                try Program.find("mildam-relay"), "serve", "--data", folder.file("data"), "--listen", "127.0.0.1:0",
                "--certificate", file, "--key", file,
            ]
        let result = try Program.run(words[0], Array(words.dropFirst()))
        #expect(result.status == 6 && result.errors.contains("cannot open \(file): Permission denied"), "\(result)")
    }

    @Test("a second one on the same folder is refused")
    func second() throws {
        let folder = try TemporaryFolder()
        let arguments = ["serve", "--data", folder.file("data"), "--listen", "127.0.0.1:0"]
        let program = try Program("mildam-relay", arguments)
        defer { program.signal(SIGKILL) }
        #expect(program.line(containing: "listening") != nil)
        let result = try Program.run("mildam-relay", arguments)
        #expect(result.status == 6 && result.errors.contains("another relay is running"))
    }
}
