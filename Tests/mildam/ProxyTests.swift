import Foundation
import Glibc
import MildamSystem
import TestSupport
import Testing

@testable import TransportSupport

@Suite("Documentation/nginx.conf: a relay behind it", .enabled(if: Foreign.nginx && Foreign.curl))
struct ProxyTests {
    @Test("A conversation over the relay behind it")
    func conversation() async throws {
        let folder = try TemporaryFolder()
        let port = try Nginx.freePort()
        let nginx = try await Nginx(before: .loopback(port: port))
        let relay = try Program(
            "mildam-relay",
            [
                "serve", "--data", folder.file("data"), "--listen", "127.0.0.1:\(port)", "--behind-proxy",
                "--registration", "open",
                "--public-url", "\(nginx.endpoint)",
            ]
        )
        defer { relay.signal(SIGKILL) }
        try #require(relay.line(containing: "listening on http://") != nil)
        func variables(_ name: String) -> [String: String] {
            ["MILDAM_HOME": folder.path, "MILDAM_PROFILE": name, "MILDAM_RELAY": "\(nginx.endpoint)"]
        }
        func mildam(_ name: String, _ arguments: String..., input: String? = nil) throws -> String {
            let result = try Program.run("mildam", arguments, input: input, environment: variables(name))
            try #require(result.status == 0, "mildam \(arguments): \(result)")
            return result.output
        }
        let authority = nginx.certificates.authorityFile
        for name in ["alice", "bob"] {
            let create = ["account", "create", name, "--authority", authority, "--password-file", "-"]
            let result = try Program.run("mildam", create, input: "a password\n", environment: variables(name))
            try #require(result.status == 0, "\(result)")
        }
        _ = try mildam("alice", "room", "create", "kitchen")
        _ = try mildam("alice", "room", "invite", "kitchen", "bob")
        let watch = try Program("mildam", ["watch", "--json"], environment: variables("bob"))
        defer { watch.signal(SIGKILL) }
        #expect(watch.complaint(containing: "connected") != nil || watch.line(containing: "connected") != nil)
        _ = try mildam("bob", "request", "accept", "alice", "--join")
        let file = folder.file("picture")
        let picture = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7 >> 3) }
        try WholeFile.write(picture.span, to: file)
        _ = try mildam("alice", "send", "kitchen", "through nginx")
        _ = try mildam("alice", "send", "kitchen", "--file", file)
        #expect(watch.line(containing: "through nginx") != nil, "over the WebSocket")
        #expect(try mildam("bob", "read", "kitchen").contains("through nginx"))
        _ = try mildam("alice", "doctor")
        // The relay's figures are for its own machine, whoever nginx speaks for.
        let metrics = try nginx.curl([
            "-o", "/dev/null", "-w", "%{http_version} %{http_code}", "\(nginx.endpoint)/metrics",
        ])
        #expect(metrics.output == "2 404", "\(metrics)")
        let ready = try nginx.curl(["-w", " %{http_version} %{http_code}", "\(nginx.endpoint)/ready"])
        #expect(ready.output.hasSuffix(" 2 200"), "\(ready)")
    }
}
