import Foundation
import Glibc
import MildamSystem
import TestSupport
import Testing

@testable import MildamTransport

@Suite("Documentation/nginx.conf: a reverse proxy in front", .enabled(if: Foreign.nginx && Foreign.curl))
struct NginxTests {
    /// nginx before a server of ours; ended with its owner.
    private final class Nginx: Sendable {
        let certificates: TestCertificates
        let endpoint: Endpoint
        private let folder: TemporaryFolder
        private let nginx: Program

        /// - Parameter socket: the path at which the server takes WebSockets.
        init(before server: SocketAddress, socket: String = "/v1/socket") async throws {
            certificates = try TestCertificates()
            folder = try TemporaryFolder()
            let port = try Self.freePort()
            endpoint = try #require(Endpoint("https://localhost:\(port)"))
            let file = folder.file("nginx.conf")
            let text = try Self.configuration(port, server, socket, certificates.server("good"), folder)
            try WholeFile.write(Array(text.utf8).span, to: file)
            nginx = try Program(
                Foreign.nginxPath,
                ["-p", folder.path, "-c", file, "-e", folder.file("errors"), "-g", "daemon off;"]
            )
            let address = SocketAddress.loopback(port: port)
            guard await eventually({ (try? RawConnection(to: address)) != nil }) else {
                nginx.signal(SIGTERM)
                throw PythonPeer.Failure(description: "\(nginx.wait())")
            }
        }

        deinit {
            nginx.signal(SIGTERM)
            nginx.wait()
        }

        /// The example with this machine's values. Each must stand in it, or the test is about another file.
        private static func configuration(
            _ port: UInt16,
            _ server: SocketAddress,
            _ socket: String,
            _ tls: TLSServerConfiguration,
            _ folder: TemporaryFolder
        ) throws -> String {
            var text = try String(contentsOfFile: Vectors.packageFolder + "/Documentation/nginx.conf", encoding: .utf8)
            let isRoot = getuid() == 0
            for (theirs, ours) in [
                ("user www-data;", isRoot ? "user root;" : ""),
                ("pid /run/nginx.pid;", "pid \(folder.file("pid"));"),
                ("/var/log/nginx/error.log", folder.file("errors")),
                ("worker_processes auto;", "worker_processes 1;"),
                ("worker_connections 16384;", "worker_connections 512;"),
                ("    access_log off;", "    access_log off;" + temporaryFolders(folder)),
                ("server 127.0.0.1:8443;", "server \(server);"),
                ("listen 443 ssl http2;", "listen 127.0.0.1:\(port) ssl http2;"),
                ("listen [::]:443 ssl http2;", ""),
                ("relay.example.org;", "localhost;"),
                ("/etc/letsencrypt/live/relay.example.org/fullchain.pem", tls.certificateChainFile),
                ("/etc/letsencrypt/live/relay.example.org/privkey.pem", tls.privateKeyFile),
                ("location = /v1/socket", "location = \(socket)"),
            ] {
                guard text.contains(theirs) else { throw PythonPeer.Failure(description: "no \(theirs) in nginx.conf") }
                text = text.replacingOccurrences(of: theirs, with: ours)
            }
            return text
        }

        private static func temporaryFolders(_ folder: TemporaryFolder) -> String {
            ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map { " \($0)_temp_path \(folder.file($0));" }.joined()
        }

        static func freePort() throws -> UInt16 {
            let socket = SharedDescriptor(try Sockets.listen(on: .loopback(port: 0)))
            return try withExtendedLifetime(socket) { try Sockets.localAddress(of: socket.number).port }
        }

        /// Asks by HTTP/2.
        func curl(_ arguments: [String]) throws -> Program.Result {
            try Program.run(
                "curl",
                ["-sS", "--http2", "--max-time", "20", "--cacert", certificates.authorityFile] + arguments
            )
        }
    }

    /// The echo server with nginx before it.
    private struct Proxied {
        let server: EchoServer
        let nginx: Nginx
        var endpoint: Endpoint { nginx.endpoint }
        var certificates: TestCertificates { nginx.certificates }

        init() async throws {
            server = try EchoServer()
            nginx = try await Nginx(before: server.address, socket: "/ws")
        }
    }

    @Test("A conversation over the relay behind it")
    func conversation() async throws {
        let folder = try TemporaryFolder()
        let port = try Nginx.freePort()
        let nginx = try await Nginx(before: .loopback(port: port))
        let relay = try Program(
            "mildam-relay",
            [
                "serve", "--data", folder.file("data"), "--listen", "127.0.0.1:\(port)", "--behind-proxy",
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
        _ = try mildam("bob", "room", "join", "kitchen")
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

    @Test func http2() async throws {
        let proxied = try await Proxied()
        let (first, second) = ("\(proxied.endpoint)/a?b=c", "\(proxied.endpoint)/d")
        let write = ["-w", " %{http_version} %{http_code} %{num_connects}\n"]
        let result = try proxied.nginx.curl(["--data", "hello"] + write + [first, second])
        #expect(result.output == "hello 2 200 1\nhello 2 200 0\n", "\(result)")
        let head = try proxied.nginx.curl(["-I", first])
        #expect(head.output.contains("x-method: HEAD") && head.output.contains("x-target: /a?b=c"), "\(head)")
    }

    @Test func bodies() async throws {
        let proxied = try await Proxied()
        let folder = try TemporaryFolder()
        for (count, status) in [(1_000_000, 200), (2_000_000, 413), (6_000_000, 413)] {
            let file = folder.file("\(count)")
            try WholeFile.write([UInt8](repeating: 0x62, count: count).span, to: file)
            let answer = folder.file("answer")
            let arguments = ["--data-binary", "@\(file)", "-o", answer, "-w", "%{http_code}", "\(proxied.endpoint)/"]
            let result = try proxied.nginx.curl(arguments)
            #expect(result.output == "\(status)", "\(count): \(result)")
            if status == 200 { #expect(try WholeFile.read(answer, limit: 2_000_000).count == count) }
        }
        // The first refusal was ours, the second nginx's own.
        #expect(proxied.server.handler.kept.withLock { $0.refused } == ["413 /"])
        #expect(proxied.server.handler.kept.withLock { $0.requestCount } == 1)
    }

    @Test func webSockets() async throws {
        let proxied = try await Proxied()
        let tls = TLSClientConfiguration(trust: proxied.certificates.authority)
        let target = try #require(HTTPTarget("/ws"))
        let socket = try await WebSocketClient.connect(proxied.endpoint, target, tls: tls)
        var messages = socket.messages.makeAsyncIterator()
        for size in [0, 1, 70_000, 500_000] {
            let payload = [UInt8](repeating: 9, count: size)
            try await socket.send(binary: payload)
            #expect(await messages.next() == .binary(payload))
        }
        await proxied.server.server.drain(within: .seconds(5))
        #expect(await messages.next() == nil)
        #expect(socket.closing?.code == 1001)
        // With nobody behind it, nginx says so itself.
        let error = await #expect(throws: TransportError.self) {
            try await WebSocketClient.connect(proxied.endpoint, target, tls: tls)
        }
        guard case .upgradeRefused(let response) = error else { throw try #require(error) }
        #expect(response.status == 502)
    }

    @Test func ourClientThroughIt() async throws {
        let proxied = try await Proxied()
        let client = try HTTPClient(
            proxied.endpoint,
            tls: TLSClientConfiguration(trust: proxied.certificates.authority)
        )
        for number in 0..<20 {
            let body = [UInt8](repeating: UInt8(number), count: number * 5000)
            let request = HTTPClientRequest(.post, try #require(HTTPTarget("/\(number)")), body: body)
            #expect(try await client.send(request).body == body)
        }
    }
}
