import MildamSystem
import TestSupport
import Testing

@testable import MildamTransport
@testable import TransportSupport

@Suite("Connections from one address, and from one network")
struct PeerCountsTests {
    private func peer(_ text: String, _ port: UInt16 = 1) throws -> SocketAddress {
        try #require(SocketAddress(ip: text, port: port))
    }

    @Test func neighboursAreCounted() throws {
        var counts = PeerCounts()
        func enters(_ text: String, _ port: UInt16 = 1) throws -> Bool {
            counts.enter(try peer(text, port), limit: 2, networkLimit: 9)
        }
        #expect(try enters("192.0.2.1"))
        #expect(try enters("192.0.2.1", 99))
        #expect(try !enters("192.0.2.1"))
        #expect(try !enters("::ffff:192.0.2.1"), "IPv4 within IPv6 is the same")
        #expect(try enters("192.0.2.2"))
        // A customer has a /64 and may take any address of it.
        #expect(try enters("2001:db8::1"))
        #expect(try enters("2001:db8::ffff:0:0:2"))
        #expect(try !enters("2001:db8::3"))
        #expect(try enters("2001:db8:0:1::1"))
        #expect(try enters("::1"))
        for text in ["192.0.2.1", "192.0.2.1", "192.0.2.2", "2001:db8::1", "2001:db8::1", "2001:db8:0:1::1", "::1"] {
            #expect(!counts.isEmpty)
            counts.leave(try peer(text))
        }
        #expect(counts.isEmpty, "who has none left takes no memory")
    }

    @Test func aNetworkHasAShare() throws {
        var counts = PeerCounts()
        func enters(_ text: String) throws -> Bool { counts.enter(try peer(text), limit: 2, networkLimit: 3) }
        for host in ["192.0.2.1", "192.0.2.1", "192.0.2.255"] { #expect(try enters(host)) }
        for host in ["192.0.2.1", "192.0.2.7", "::ffff:192.0.2.8"] { #expect(try !enters(host)) }
        #expect(try enters("192.0.3.7"))
        for host in ["2001:db8::1", "2001:db8:0:1::1", "2001:db8:0:ffff::1"] { #expect(try enters(host)) }
        #expect(try !enters("2001:db8:0:2::1"))
        #expect(try enters("2001:db8:1::1"))
        // One who was refused took nobody's place.
        counts.leave(try peer("192.0.2.1"))
        #expect(try enters("192.0.2.7"))
        #expect(try !enters("192.0.2.1"))
        for host in ["192.0.2.1", "192.0.2.255", "192.0.2.7", "192.0.3.7", "2001:db8:1::1"] {
            counts.leave(try peer(host))
        }
        #expect(!counts.isEmpty)
        for host in ["2001:db8::1", "2001:db8:0:1::1", "2001:db8:0:ffff::1"] { counts.leave(try peer(host)) }
        #expect(counts.isEmpty, "who has none left takes no memory")
    }

    @Test func aNetworksShareIsEnforced() async throws {
        var limits = ServerLimits()
        limits.maxConnectionsPerNetwork = 2
        let server = try EchoServer(limits)
        func ask(from host: String) async throws -> (connection: RawConnection, isServed: Bool) {
            let connection = try RawConnection(to: server.address, from: try peer(host, 0))
            connection.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            return (connection, await connection.read(until: "\r\n\r\n").hasPrefix("HTTP/1.1 200 "))
        }
        let many = [try await ask(from: "127.9.9.1"), try await ask(from: "127.9.9.2")]
        #expect(many.map(\.isServed) == [true, true])
        let refused = try await ask(from: "127.9.9.3")
        #expect(!refused.isServed)
        let other = try await ask(from: "127.9.8.1")
        #expect(other.isServed)
        // They are here until now.
        withExtendedLifetime(many) {}
    }

    @Test("Over a socket, before and after an upgrade", arguments: [false, true])
    func isEnforced(_ upgrades: Bool) async throws {
        var limits = ServerLimits()
        limits.maxConnectionsPerAddress = 2
        let server = try EchoServer(limits)
        let request = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
        let first = try RawConnection(to: server.address)
        let second = try RawConnection(to: server.address)
        for client in [first, second] {
            client.send(request)
            #expect(await client.read(until: "\r\n\r\n").hasPrefix("HTTP/1.1 200 "))
            if upgrades { #expect(await client.upgrade().hasPrefix("HTTP/1.1 101 ")) }
        }
        let third = try RawConnection(to: server.address)
        third.send(request)
        #expect(await third.readToEnd().isEmpty)
        let stranger = try RawConnection(to: server.address, from: try peer("127.0.0.2", 0))
        stranger.send(request)
        #expect(await stranger.read(until: "\r\n\r\n").hasPrefix("HTTP/1.1 200 "))
        // Room again, once one has gone.
        first.finishSending()
        #expect(await first.readToEnd().isEmpty)
        #expect(await eventually { server.connectionCount == 2 })
        let next = try RawConnection(to: server.address)
        next.send(request)
        #expect(await next.read(until: "\r\n\r\n").hasPrefix("HTTP/1.1 200 "))
    }
}
