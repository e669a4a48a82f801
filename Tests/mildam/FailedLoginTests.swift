import Foundation
import HouseSupport
import TestSupport
import Testing

@Suite("Logins that failed, for a tool that bans")
struct FailedLoginTests {
    @Test("the filter of relay.md finds the network in the line of a relay that was asked for it")
    func line() async throws {
        let house = try await House.open(["--log-failed-logins", "--log", "json"])
        let alice = try await house.people("alice")[0]
        expect(try await alice.run("account", "login", "--password-file", "-", input: "wrong\n"), 3)
        let line = try #require(try await house.relay.program.complaint(with: "login_failed"))
        let page = try String(contentsOfFile: "Documentation/relay.md", encoding: .utf8)
        let filter = try #require(page.split(separator: "\n").first { $0.hasPrefix("failregex = ") })
            .dropFirst("failregex = ".count)
            // What fail2ban puts in the tag's place, in short.
            .replacingOccurrences(of: "<SUBNET>", with: #"([0-9a-f.:]+/[0-9]+)"#)
        let found = try #require(try Regex(filter, as: (Substring, Substring).self).firstMatch(in: line), "\(line)")
        #expect(found.output.1 == "127.0.0.0/24")
        expect(try await alice.run("account", "login", "--password-file", "-", input: alice.password + "\n"), 0)
        let result = try await house.relay.stop()
        #expect(result.errors.split(separator: "\n").count { $0.contains("login_failed") } == 1, "\(result)")
        #expect(!result.errors.contains("alice"))
    }

    @Test("a relay that was not asked for it says nothing of a login that failed")
    func silence() async throws {
        let house = try await House.open(["--log", "json"])
        let alice = try await house.people("alice")[0]
        expect(try await alice.run("account", "login", "--password-file", "-", input: "wrong\n"), 3)
        let result = try await house.relay.stop()
        let events = result.errors.split(separator: "\n").compactMap { line in
            (try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])?["event"] as? String
        }
        #expect(events == ["started", "stopping", "stopped"], "\(result)")
    }
}
