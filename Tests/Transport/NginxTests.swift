import Foundation
import Glibc
import MildamSystem
import TestSupport
import Testing

@testable import MildamTransport

@Suite("Documentation/nginx.conf: a reverse proxy in front", .enabled(if: Foreign.nginx && Foreign.curl))
struct NginxTests {
    /// A server of ours with nginx before it; ended with its owner.
    private final class Proxied: Sendable {
        let server: EchoServer
        let certificates: TestCertificates
        let endpoint: Endpoint
        private let folder: TemporaryFolder
        private let nginx: Program

        init() async throws {
            server = try EchoServer()
            certificates = try TestCertificates()
            folder = try TemporaryFolder()
            let port = try Self.freePort()
            endpoint = try #require(Endpoint("https://localhost:\(port)"))
            let file = folder.file("nginx.conf")
            let text = try Self.configuration(port, server.address, certificates.server("good"), folder)
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
                ("location = /v1/socket", "location = /ws"),
            ] {
                guard text.contains(theirs) else { throw PythonPeer.Failure(description: "no \(theirs) in nginx.conf") }
                text = text.replacingOccurrences(of: theirs, with: ours)
            }
            return text
        }

        private static func temporaryFolders(_ folder: TemporaryFolder) -> String {
            ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map { " \($0)_temp_path \(folder.file($0));" }.joined()
        }

        private static func freePort() throws -> UInt16 {
            let socket = SharedDescriptor(try Sockets.listen(on: .loopback(port: 0)))
            return try withExtendedLifetime(socket) { try Sockets.localAddress(of: socket.number).port }
        }

        func curl(_ arguments: [String]) throws -> Program.Result {
            try Program.run(
                "curl",
                ["-sS", "--http2", "--max-time", "20", "--cacert", certificates.authorityFile] + arguments
            )
        }
    }

    @Test func http2() async throws {
        let proxied = try await Proxied()
        let (first, second) = ("\(proxied.endpoint)/a?b=c", "\(proxied.endpoint)/d")
        let write = ["-w", " %{http_version} %{http_code} %{num_connects}\n"]
        let result = try proxied.curl(["--data", "hello"] + write + [first, second])
        #expect(result.output == "hello 2 200 1\nhello 2 200 0\n", "\(result)")
        let head = try proxied.curl(["-I", first])
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
            let result = try proxied.curl(arguments)
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
