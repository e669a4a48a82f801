import Glibc
import MildamSystem
import TestSupport
import Testing

@testable import MildamTransport
@testable import TransportSupport

@Suite("TLS: another certificate while serving")
struct ReloadTests {
    private let certificates: TestCertificates
    private let server: EchoServer
    private static let made = Result { try TestCertificates() }

    init() throws {
        certificates = try Self.made.get()
        server = try EchoServer(tls: certificates.server("good"))
    }

    /// The status that a fresh connection gets when it expects this certificate.
    private func status(expecting name: String) async throws -> Int {
        let tls = TLSClientConfiguration(trust: try certificates.pin(of: name))
        let client = try HTTPClient(Endpoint(server.address, isSecure: true), tls: tls)
        defer { client.close() }
        return try await client.send(HTTPClientRequest(.get, #require(HTTPTarget("/")))).status
    }

    @Test func newHandshakesSeeItAndOldConnectionsLive() async throws {
        let pin = TLSClientConfiguration(trust: try certificates.pin(of: "good"))
        let endpoint = Endpoint(server.address, isSecure: true)
        let socket = try await WebSocketClient.connect(endpoint, #require(HTTPTarget("/ws")), tls: pin)
        let client = try HTTPClient(endpoint, tls: pin)
        let request = HTTPClientRequest(.get, try #require(HTTPTarget("/")))
        #expect(try await client.send(request).status == 200)

        try server.server.reloadTLS(certificates.server("other"))
        #expect(try await status(expecting: "other") == 200)
        await #expect(throws: TransportError.tls(.pinMismatch)) { try await status(expecting: "good") }
        // The kept connection, and no new one: that would meet the other key.
        #expect(try await client.send(request).status == 200)
        try await socket.send(text: "still here")
        var messages = socket.messages.makeAsyncIterator()
        #expect(await messages.next() == .text("still here"))

        try server.server.reloadTLS(certificates.server("good"))
        #expect(try await status(expecting: "good") == 200)
    }

    @Test func whatCannotBeUsedChangesNothing() async throws {
        let other = certificates.server("other")
        let mixed = TLSServerConfiguration(
            certificateChainFile: other.certificateChainFile,
            privateKeyFile: certificates.server("good").privateKeyFile
        )
        let locked = TLSServerConfiguration(
            certificateChainFile: other.certificateChainFile,
            privateKeyFile: try certificates.lockedKey(of: "other")
        )
        let missing = TLSServerConfiguration(certificateChainFile: "/nonexistent", privateKeyFile: other.privateKeyFile)
        for (wrong, fault) in [(mixed, TLSFileFault.otherKey), (locked, .keyUnderPassword)] {
            #expect(throws: TransportError.tls(.configuration(file: wrong.privateKeyFile, fault))) {
                try server.server.reloadTLS(wrong)
            }
        }
        #expect(throws: TransportError.tls(.configuration(file: "/nonexistent", .unreadable(ENOENT)))) {
            try server.server.reloadTLS(missing)
        }
        #expect(try await status(expecting: "good") == 200)
    }

    @Test func onlyAServerThatRunsWithTLS() async throws {
        let good = certificates.server("good")
        let plain = try EchoServer()
        #expect(throws: TransportError.invalid("a certificate for a server without TLS")) {
            try plain.server.reloadTLS(good)
        }
        await server.server.drain(within: .seconds(5))
        #expect(throws: TransportError.closed) { try server.server.reloadTLS(good) }
        let loop = try EventLoop(name: "test-server")
        loop.start()
        defer { loop.stop() }
        let new = HTTPServer(loop: loop, address: .loopback(port: 0), tls: good, handler: EchoServer.Handler())
        #expect(throws: TransportError.closed) { try new.reloadTLS(good) }
    }

    @Test func onTheLoopItself() async throws {
        let (server, other) = (server, certificates.server("other"))
        let isDone = Lock(false)
        server.loop.execute {
            if (try? server.server.reloadTLS(other)) != nil { isDone.withLock { $0 = true } }
        }
        #expect(await eventually { isDone.withLock { $0 } })
        #expect(try await status(expecting: "other") == 200)
    }
}
