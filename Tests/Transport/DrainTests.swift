import MildamSystem
import TestSupport
import Testing

@testable import MildamTransport
@testable import TransportSupport

@Suite("Draining: who is told what, and when")
struct DrainTests {
    private let target: HTTPTarget

    init() throws {
        target = try #require(HTTPTarget("/ws"))
    }

    /// When each of `count` WebSockets of a server that drains was told 1001, since the beginning.
    private func goodbyes(_ count: Int, patience: Duration, span: Duration) async throws -> [Duration] {
        let server = try EchoServer()
        var sockets: [WebSocketConnection] = []
        for _ in 0..<count { sockets.append(try await WebSocketClient.connect(server.endpoint, target)) }
        let start = ContinuousClock.now
        return try await withThrowingTaskGroup(of: Duration?.self) { group in
            for socket in sockets {
                group.addTask {
                    for await _ in socket.messages {}
                    let end = ContinuousClock.now
                    return socket.closing?.code == 1001 ? end - start : nil
                }
            }
            group.addTask {
                await server.server.drain(within: patience, spreading: span)
                return .seconds(-1)
            }
            var times: [Duration] = []
            for try await time in group { if try #require(time) >= .zero { times.append(try #require(time)) } }
            return times.sorted()
        }
    }

    @Test func manyAreToldOverTheSpan() async throws {
        let times = try await goodbyes(400, patience: .seconds(20), span: .milliseconds(400))
        #expect(times.count == 400)
        let (first, middle, last) = (times[0], times[200], times[399])
        // Groups of 16, ten milliseconds apart.
        #expect(last - first > .milliseconds(200), "\(first) \(last)")
        #expect(middle - first > .milliseconds(90) && last - middle > .milliseconds(90), "\(first) \(middle) \(last)")
        #expect(last < .seconds(10))
    }

    @Test func aFewAreToldAtOnce() async throws {
        let times = try await goodbyes(10, patience: .seconds(20), span: .seconds(8))
        #expect(times.count == 10)
        #expect(try #require(times.last) < .seconds(4))
    }

    @Test func everyoneIsToldBeforePatienceEnds() async throws {
        // In groups of 16 it would take nearly a second, and who had not been told by then would be cut off.
        let count = 1500
        try #require(Flood.room(for: 2 * count) == 2 * count)
        let times = try await goodbyes(count, patience: .milliseconds(800), span: .seconds(3600))
        #expect(times.count == count)
    }

    @Test func whoOnlyShakesHandsIsNotWaitedFor() async throws {
        let certificates = try TestCertificates()
        let server = try EchoServer(tls: certificates.server("good"))
        let silent = try RawConnection(to: server.address)
        #expect(await eventually { server.connectionCount == 1 })
        let start = ContinuousClock.now
        await server.server.drain(within: .seconds(8))
        #expect(ContinuousClock.now - start < .seconds(4))
        #expect(await silent.readToEnd().isEmpty)
    }

    @Test func idleConnectionsHearTLSsGoodbye() async throws {
        let certificates = try TestCertificates()
        var limits = ServerLimits()
        limits.idleTimeout = .milliseconds(50)
        let server = try EchoServer(limits, tls: certificates.server("good"))
        let idle = try await RawTLSConnection(to: server.address, certificates.authority)
        try idle.sendAtOnce([Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8)])
        #expect(await idle.read(until: "\r\n\r\n").hasPrefix("HTTP/1.1 200 "))
        #expect(await idle.endsWithGoodbye())
        let drained = try await RawTLSConnection(to: server.address, certificates.authority)
        #expect(await eventually { server.connectionCount == 1 })
        // The handshake must be over at the server too.
        try await Task.sleep(for: .milliseconds(50))
        await server.server.drain(within: .seconds(5))
        #expect(await drained.endsWithGoodbye())
    }
}
