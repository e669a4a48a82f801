import MildamSystem
import TestSupport
import Testing

@testable import MildamTransport
@testable import TransportSupport

@Suite("Memory that connections share")
struct SharedBytesTests {
    private func peer(_ text: String, _ port: UInt16 = 0) throws -> SocketAddress {
        try #require(SocketAddress(ip: text, port: port))
    }

    @Test func oneAndAllAreLimited() throws {
        var shared = SharedBytes()
        func change(_ text: String, _ difference: Int) throws -> Bool {
            shared.change(by: difference, of: try peer(text, UInt16.random(in: 1...9)), limit: 100, share: 60)
        }
        #expect(try change("192.0.2.1", 60))
        #expect(try !change("::ffff:192.0.2.1", 1), "IPv4 within IPv6 is the same")
        #expect(try change("192.0.2.1", -1))
        #expect(try change("2001:db8::1", 40))
        #expect(try !change("2001:db8::2", 1), "all together")
        #expect(try change("2001:db8::3", -41))
        #expect(try change("192.0.2.9", 40))
        #expect(try change("192.0.2.9", -40))
        #expect(try change("192.0.2.1", -60))
        #expect(shared.isEmpty, "who has nothing takes no memory")
    }

    private static let request = "GET /large/20000000 HTTP/1.1\r\nHost: a\r\n\r\n"

    /// Asks for much and does not read it.
    ///
    /// - Returns: the client, once its answer waits in the server or was cut off.
    private func deaf(_ server: EchoServer, from source: String) async throws -> RawConnection {
        let client = try RawConnection(to: server.address, from: try peer(source), receiveBuffer: 1 << 20)
        let before = server.handler.kept.withLock { $0.requestCount }
        client.send(Self.request)
        #expect(await eventually { server.handler.kept.withLock { $0.requestCount } > before })
        // Asked behind that request on the loop, this is answered when its answer was queued.
        _ = server.connectionCount
        return client
    }

    @Test("Who does not read is cut off when that costs too much", arguments: [true, false])
    func slowReaders(_ byAddress: Bool) async throws {
        var limits = ServerLimits()
        if byAddress { limits.maxBytesPerAddress = 20_500_000 } else { limits.maxQueuedBytes = 20_500_000 }
        let server = try EchoServer(limits)
        let first = try await deaf(server, from: "127.0.0.2")
        let second = try await deaf(server, from: byAddress ? "127.0.0.2" : "127.0.0.3")
        #expect(await second.readToEnd().utf8.count < 20_000_000)
        if byAddress {
            let stranger = try await deaf(server, from: "127.0.0.3")
            #expect(await stranger.read(20_000_000).count >= 20_000_000)
        }
        #expect(await first.read(20_000_000).count >= 20_000_000, "it was there before")
        // What went, or was cut off, is given back, each time.
        for _ in 0..<3 {
            let client = try await deaf(server, from: "127.0.0.2")
            #expect(await client.read(20_000_000).count >= 20_000_000)
        }
        for client in [first, second] { client.finishSending() }
        #expect(await eventually { server.holdsNothing })
    }

    @Test("A WebSocket that does not read is cut off, too, and gives back what it had", arguments: [false, true])
    func deafSocket(_ isAborted: Bool) async throws {
        var limits = ServerLimits()
        limits.maxMessageBytes = 30_000_000
        limits.maxFrameBytes = 30_000_000
        limits.maxQueuedBytesPerConnection = 100_000_000
        limits.maxQueuedBytes = isAborted ? 100_000_000 : 15_000_000
        let server = try EchoServer(limits)
        let client = try RawConnection(to: server.address, receiveBuffer: 1 << 20)
        #expect(await client.upgrade().hasPrefix("HTTP/1.1 101 "))
        client.send(
            WebSocketFrameEncoder.encode(.binary, [UInt8](repeating: 0, count: 25_000_000), mask: [1, 2, 3, 4])
        )
        if isAborted {
            #expect(await eventually { !server.holdsNothing })
            server.handler.kept.withLock { $0.sockets }[0].abort()
        }
        #expect(await eventually { server.connectionCount == 0 })
        #expect(server.holdsNothing)
    }

    @Test func contentThatDripsHasAShare() async throws {
        var limits = ServerLimits()
        limits.maxBytesPerAddress = 1000
        let server = try EchoServer(limits)
        let head = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 900\r\n\r\n"
        let part = String(repeating: "x", count: 600)
        let first = try RawConnection(to: server.address)
        first.send(head + part)
        // In the order in which it listens: the first part is there when the second comes.
        #expect(await eventually { server.connectionCount == 1 })
        let second = try RawConnection(to: server.address)
        second.send(head + part)
        #expect(await second.readToEnd().hasPrefix("HTTP/1.1 503 "))
        let stranger = try RawConnection(to: server.address, from: try peer("127.0.0.2"))
        stranger.send(head + part + String(repeating: "y", count: 300))
        #expect(await stranger.read(until: "yyy").hasPrefix("HTTP/1.1 200 "))
        first.send(String(repeating: "y", count: 300))
        #expect(await first.read(until: "yyy").hasPrefix("HTTP/1.1 200 "))
        // Given back.
        let next = try RawConnection(to: server.address)
        next.send(head + part)
        next.send(String(repeating: "y", count: 300))
        #expect(await next.read(until: "yyy").hasPrefix("HTTP/1.1 200 "))
    }
}
