import Foundation
import Glibc
import MildamSystem
import TestSupport
import Testing

@testable import MildamTransport
@testable import TransportSupport

@Suite("Documentation/nginx.conf: a reverse proxy in front", .enabled(if: Foreign.nginx && Foreign.curl))
struct NginxTests {
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
