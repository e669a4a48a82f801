import MildamSystem
import TestSupport
import Testing

@testable import MildamTransport
@testable import TransportSupport

@Suite("TLS: what a handshake may cost")
struct HandshakeTests {
    private let certificates: TestCertificates
    private static let made = Result { try TestCertificates() }
    private static let hello = Result { try ClientHello.offering("X25519") }

    init() throws {
        certificates = try Self.made.get()
    }

    private func hello() throws -> [UInt8] { try Self.hello.get() }

    /// A server whose handshakes nobody works at but the test.
    private func idleServer(_ change: (inout ServerLimits) -> Void = { _ in }) throws -> EchoServer {
        var limits = ServerLimits()
        limits.handshakeThreads = 0
        change(&limits)
        return try EchoServer(limits, tls: certificates.server("good"))
    }

    private func get(_ server: EchoServer, expecting name: String = "good") async throws -> Int {
        let tls = TLSClientConfiguration(trust: try certificates.pin(of: name))
        let client = try HTTPClient(Endpoint(server.address, isSecure: true), tls: tls)
        defer { client.close() }
        return try await client.send(HTTPClientRequest(.get, #require(HTTPTarget("/")))).status
    }

    // MARK: Groups

    @Test("X25519 and P-256 are answered", arguments: ["X25519", "P-256", "ffdhe8192:X25519", "P-521:P-256"])
    func answered(_ groups: String) async throws {
        let server = try EchoServer(tls: certificates.server("good"))
        let client = try RawConnection(to: server.address)
        client.send(try ClientHello.offering(groups))
        // A handshake record: ServerHello, or the request for a key in another group.
        #expect(await client.read(1).first == 22)
    }

    @Test("Others are refused", arguments: ["ffdhe8192", "ffdhe2048", "P-521", "P-384", "X448"])
    func refused(_ groups: String) async throws {
        let server = try EchoServer(tls: certificates.server("good"))
        let client = try RawConnection(to: server.address)
        client.send(try ClientHello.offering(groups))
        // handshake_failure (RFC 8446, section 6.2).
        let alert = await client.read(100)
        #expect(alert.first == 21 && alert.suffix(2) == [2, 40], "\(alert)")
    }

    /// Ten a second of these stopped a server that took them: each cost it an eighth of a second.
    @Test func aRecordedHelloIsCheapToRefuse() async throws {
        let server = try EchoServer(tls: certificates.server("good"))
        let expensive = try ClientHello.offering("ffdhe8192")
        let start = ContinuousClock.now
        for _ in 0..<100 {
            let client = try RawConnection(to: server.address)
            client.send(expensive)
            #expect(await client.read(100).first == 21)
        }
        #expect(ContinuousClock.now - start < .seconds(6))
    }

    @Test func ourClientOffersTheSame() throws {
        let hello = try ClientHello.ours()
        // supported_groups (RFC 8446, section 4.2.7): x25519, secp256r1.
        let groups: [UInt8] = [0, 10, 0, 6, 0, 4, 0, 29, 0, 23]
        #expect(hello.indices.contains { hello[$0...].starts(with: groups) })
    }

    // MARK: Who is admitted

    @Test func whoIsNotAdmittedCostsNothing() async throws {
        let server = try idleServer()
        server.handler.handshakes.withLock { $0.allowed = 1 }
        // Nothing is asked, and nothing counted, before something was said.
        let silent = try RawConnection(to: server.address)
        #expect(await eventually { server.connectionCount == 1 })
        let leaving = try RawConnection(to: server.address)
        leaving.finishSending()
        #expect(await leaving.readToEnd().isEmpty)
        #expect(server.handler.handshakes.withLock { $0.asked } == 0)
        silent.send(try hello())
        #expect(await eventually { server.handshakes?.queue.count == 1 })
        let refused = try RawConnection(to: server.address)
        refused.send(try hello())
        #expect(await refused.readToEnd().isEmpty)
        #expect(server.handler.handshakes.withLock { $0.asked } == 2)
        #expect(server.handshakes?.queue.count == 1)
    }

    @Test func aResumedSessionIsAHandshake() async throws {
        let server = try EchoServer(tls: certificates.server("good"))
        let folder = try TemporaryFolder()
        func connect(_ more: [String]) throws -> Program.Result {
            let arguments = ["s_client", "-connect", "\(server.address)", "-ign_eof"]
            return try Program.run(
                "openssl",
                arguments + more,
                input: "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
            )
        }
        #expect(try connect(["-sess_out", folder.file("session")]).output.contains("HTTP/1.1 200"))
        let resumed = try connect(["-sess_in", folder.file("session")])
        #expect(resumed.output.contains("Reused, TLSv1.3") && resumed.output.contains("HTTP/1.1 200"), "\(resumed)")
        #expect(server.handler.handshakes.withLock { $0.asked } == 2)
        server.handler.handshakes.withLock { $0.allowed = 0 }
        let refused = try connect(["-sess_in", folder.file("session")])
        #expect(!refused.output.contains("HTTP/1.1 200") && refused.status != 0)
        // Who is connected is not asked again.
        #expect(server.handler.handshakes.withLock { $0.asked } == 3)
    }

    // MARK: Turns

    @Test func anAddressTakesOneTurnInARound() async throws {
        let server = try idleServer()
        let queue = try #require(server.handshakes?.queue)
        let flood = try Flood(of: 50, to: server.address)
        flood.send(try hello())
        #expect(await eventually { queue.count == 50 })
        let honest = try RawConnection(to: server.address)
        honest.send(try hello())
        #expect(await eventually { queue.count == 51 })
        for _ in 0..<2 { queue.take()?.run() }
        #expect(await honest.read(1).first == 22)
        #expect(queue.count == 49)
    }

    @Test func whoWasBegunDoesNotWaitForTheHellosOfItsAddress() async throws {
        let server = try idleServer()
        let queue = try #require(server.handshakes?.queue)
        let honest = try flood(server, from: ["127.0.0.2"])[0]
        #expect(await eventually { queue.count == 1 })
        queue.take()?.run()
        #expect(await honest.read(1).first == 22)
        let flood = try Flood(of: 50, to: server.address)
        flood.send(try hello())
        #expect(await eventually { queue.count == 50 })
        // Of no use to anybody: its turn ends it.
        honest.send(Array("no record of TLS".utf8))
        #expect(await eventually { queue.count == 51 })
        for _ in 0..<2 { queue.take()?.run() }
        #expect(await eventually { server.connectionCount == 50 })
    }

    /// From one address each.
    private func flood(_ server: EchoServer, from hosts: [String]) throws -> [RawConnection] {
        try hosts.map { host in
            let source = try #require(SocketAddress(ip: host, port: 0))
            let connection = try RawConnection(to: server.address, from: source)
            connection.send(try hello())
            return connection
        }
    }

    @Test func aNetworkTakesOneTurnInARoundHoweverManyAddressesItHas() async throws {
        let server = try idleServer()
        let queue = try #require(server.handshakes?.queue)
        let many = try flood(server, from: (1...40).map { "127.9.9.\($0)" })
        #expect(await eventually { queue.count == 40 })
        let honest = try flood(server, from: ["127.0.0.1"])[0]
        #expect(await eventually { queue.count == 41 })
        for _ in 0..<2 { queue.take()?.run() }
        #expect(await honest.read(1).first == 22)
        #expect(queue.count == 39 && many.count == 40)
    }

    @Test func whenAllIsFullANetworkOfManyAddressesGivesWay() async throws {
        let server = try idleServer { $0.maxWaitingHandshakes = 3 }
        let queue = try #require(server.handshakes?.queue)
        let many = try flood(server, from: (1...3).map { "127.9.9.\($0)" })
        #expect(await eventually { queue.count == 3 })
        let honest = try flood(server, from: ["127.0.0.1"])[0]
        #expect(await eventually { server.handler.handshakes.withLock { $0.asked } == 4 })
        #expect(await eventually { server.connectionCount == 3 })
        for _ in 0..<2 { queue.take()?.run() }
        #expect(await honest.read(1).first == 22)
        #expect(queue.count == 1 && many.count == 3)
    }

    @Test func whenAllIsFullAFloodGivesWay() async throws {
        let server = try idleServer { $0.maxWaitingHandshakes = 3 }
        let queue = try #require(server.handshakes?.queue)
        let flood = try Flood(of: 5, to: server.address)
        flood.send(try hello())
        #expect(await eventually { flood.openCount == 3 })
        #expect(queue.count == 3)
        let honest = try RawConnection(to: server.address)
        honest.send(try hello())
        #expect(await eventually { flood.openCount == 2 })
        #expect(queue.count == 3)
        for _ in 0..<2 { queue.take()?.run() }
        #expect(await honest.read(1).first == 22)
    }

    @Test func anAddressHasAShare() async throws {
        let server = try idleServer { $0.maxWaitingHandshakesPerAddress = 2 }
        let flood = try Flood(of: 5, to: server.address)
        flood.send(try hello())
        #expect(await eventually { flood.openCount == 2 })
        #expect(server.handshakes?.queue.count == 2)
    }

    /// Half of a first record, and no more.
    @Test func whoStallsHoldsNobodyUp() async throws {
        let server = try EchoServer(tls: certificates.server("good"))
        let half = Array(try hello().prefix(100))
        let stalled = try Flood(of: Flood.room(for: 300), to: server.address)
        stalled.send(half)
        let start = ContinuousClock.now
        for _ in 0..<10 { #expect(try await get(server) == 200) }
        #expect(ContinuousClock.now - start < .seconds(5))
        #expect(stalled.openCount == stalled.count)
    }

    // MARK: What ends while a step is away

    @Test func whoSaysHelloAndLeavesGetsNoCryptography() async throws {
        let server = try idleServer()
        let queue = try #require(server.handshakes?.queue)
        let client = try RawConnection(to: server.address)
        client.send(try hello())
        #expect(await eventually { queue.count == 1 })
        client.finishSending()
        let errand = try #require(queue.take())
        errand.run()
        // Not a byte was said for it.
        #expect(await client.readToEnd().isEmpty)
        #expect(await eventually { server.holdsNothing })
    }

    @Test("The deadline takes its place in the queue, or ends what comes back", arguments: [false, true])
    func theDeadlinePasses(_ isWorkedAt: Bool) async throws {
        let server = try idleServer { $0.headTimeout = .milliseconds(200) }
        let queue = try #require(server.handshakes?.queue)
        let client = try RawConnection(to: server.address)
        client.send(try hello())
        #expect(await eventually { queue.count == 1 })
        var errand = isWorkedAt ? queue.take() : nil
        #expect(await eventually { server.holdsNothing })
        #expect(queue.count == 0)
        // Session and socket are the errand's alone by now, and end with it.
        errand?.run()
        errand = nil
        let start = ContinuousClock.now
        #expect(await client.readToEnd().utf8.first == (isWorkedAt ? 22 : nil))
        #expect(ContinuousClock.now - start < .seconds(4))
    }

    @Test("Draining waits for no handshake, worked at or not", arguments: [false, true])
    func draining(_ isWorkedAt: Bool) async throws {
        let server = try idleServer()
        let queue = try #require(server.handshakes?.queue)
        let client = try RawConnection(to: server.address)
        client.send(try hello())
        #expect(await eventually { queue.count == 1 })
        let errand = isWorkedAt ? queue.take() : nil
        let start = ContinuousClock.now
        await server.server.drain(within: .seconds(8))
        #expect(ContinuousClock.now - start < .seconds(4))
        errand?.run()
        if !isWorkedAt { #expect(await client.readToEnd().isEmpty) }
        // The threads end with the server.
        #expect(queue.take() == nil)
    }

    @Test func theLoopEnds() async throws {
        let server = try idleServer()
        let queue = try #require(server.handshakes?.queue)
        let client = try RawConnection(to: server.address)
        client.send(try hello())
        #expect(await eventually { queue.count == 1 })
        var errand = queue.take()
        server.loop.stop()
        errand?.run()
        errand = nil
        // What was worked out is said; what comes back finds nobody, and the connection goes with it.
        #expect(await client.readToEnd().utf8.first == 22)
    }

    @Test func anotherCertificateMeanwhile() async throws {
        let server = try idleServer()
        let queue = try #require(server.handshakes?.queue)
        let old = Task { try await get(server) }
        #expect(await eventually { queue.count == 1 })
        let errand = try #require(queue.take())
        try server.server.reloadTLS(certificates.server("other"))
        Thread.detach(named: "test-worker") {
            errand.run()
            while let next = queue.take() { next.run() }
        }
        // Who began with a certificate ends with it.
        #expect(try await old.value == 200)
        #expect(try await get(server, expecting: "other") == 200)
    }
}
