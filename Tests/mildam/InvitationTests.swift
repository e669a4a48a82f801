import Foundation
import MildamSystem
import TestSupport
import Testing

@Suite("A relay that takes accounts by invitation", .timeLimit(.minutes(3)))
struct InvitationTests {
    @Test("The first invitation is printed, the operator makes more, and each makes one account")
    func invitations() throws {
        let folder = try TemporaryFolder()
        let arguments = ["serve", "--data", folder.file("data"), "--listen", "127.0.0.1:0", "--registration", "invite"]
        let relay = try Program("mildam-relay", arguments)
        defer { relay.signal(SIGKILL) }
        let line = try #require(relay.line(containing: "listening on http://"))
        let address = try #require(line.split(separator: " ").first { $0.hasPrefix("http://") }.map(String.init))
        let first = try #require(relay.line(containing: "invitation ")?.split(separator: " ").last.map(String.init))
        func create(_ name: String, _ invitation: String?) throws -> Program.Result {
            var arguments = ["account", "create", name, "--password-file", "-"]
            if let invitation {
                let file = folder.file("invitation")
                try WholeFile.write(Array((invitation + "\n").utf8).span, to: file)
                arguments += ["--invitation-file", file]
            }
            return try Program.run(
                "mildam",
                arguments,
                input: "a password\n",
                environment: ["MILDAM_HOME": folder.path, "MILDAM_PROFILE": name, "MILDAM_RELAY": address]
            )
        }
        let without = try create("alice", nil)
        #expect(without.status == 6 && without.errors.contains("by invitation"), "\(without)")
        #expect(try create("alice", first).status == 0)
        let used = try create("bob", first)
        #expect(used.status == 6 && used.errors.contains("was used"), "\(used)")
        let more = try Program.run("mildam-relay", ["invite", "--count", "2", "--data", folder.file("data")])
        let codes = more.output.split(separator: "\n").map(String.init)
        #expect(more.status == 0 && codes.count == 2, "\(more)")
        #expect(try create("bob", codes.first).status == 0)
    }
}
