import Dispatch
import MildamSystem
import TestSupport
import Testing

@testable import MildamTransport
@testable import TransportSupport

@Suite("RFC 9112, section 9.3.2: pipelines")
struct PipelineTests {
    @Test("Who sends many requests at once lets others have their turn")
    func pipelinesAreFair() async throws {
        let server = try EchoServer()
        let (greedy, modest) = (try RawConnection(to: server.address), try RawConnection(to: server.address))
        for client in [greedy, modest] {
            client.send("GET /first HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(await client.read(until: "\r\n\r\n").hasPrefix("HTTP/1.1 200 "))
        }
        whileHeld(server.loop) {
            greedy.send(String(repeating: "GET /greedy HTTP/1.1\r\nHost: a\r\n\r\n", count: 500))
            modest.send("GET /modest HTTP/1.1\r\nHost: a\r\n\r\n")
        }
        #expect(await modest.read(until: "/modest").hasPrefix("HTTP/1.1 200 "))
        #expect(await eventually { server.handler.kept.withLock { $0.requestCount } == 503 })
        let place = server.handler.kept.withLock { $0.paths.dropFirst(2).firstIndex(of: "/modest") }
        #expect(try #require(place) <= 2 + 8)
    }

    @Test("Whoever sends a head in pieces stands back, until it is whole")
    func headsInPiecesStandBack() async throws {
        let server = try EchoServer()
        let slow = try (0..<100).map { _ in try RawConnection(to: server.address) }
        let modest = try RawConnection(to: server.address)
        modest.send("GET /first HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(await modest.read(until: "\r\n\r\n").hasPrefix("HTTP/1.1 200 "))
        for client in slow { client.send("GET /slow HTTP/1.1\r\nHost: a\r\n") }
        let haveBegun = await eventually {
            LoopAnswer(on: server.loop) { [loop = server.loop] in
                loop.reactor.value.channels.count { ($0 as? ServerConnection)?.isIdle == false } == 100
            }.wait() ?? false
        }
        try #require(haveBegun)
        whileHeld(server.loop) {
            for client in slow { client.send("\r\n") }
            modest.send("GET /modest HTTP/1.1\r\nHost: a\r\n\r\n")
        }
        #expect(await eventually { server.handler.kept.withLock { $0.requestCount } == 102 })
        #expect(server.handler.kept.withLock { $0.paths.firstIndex(of: "/modest") } == 1, "before all of them")
        // The next one comes whole.
        whileHeld(server.loop) {
            for client in slow { client.send("GET /whole HTTP/1.1\r\nHost: a\r\n\r\n") }
            modest.send("GET /modest HTTP/1.1\r\nHost: a\r\n\r\n")
        }
        #expect(await eventually { server.handler.kept.withLock { $0.requestCount } == 203 })
        let last = server.handler.kept.withLock { $0.paths.lastIndex(of: "/modest") }
        #expect(try #require(last) > 102 + TurnPortion.least, "in the order in which they came")
    }

    /// What is sent meanwhile is there when the loop looks again.
    private func whileHeld(_ loop: EventLoop, _ send: () -> Void) {
        let (isHeld, goesOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        loop.execute {
            isHeld.signal()
            goesOn.wait()
        }
        isHeld.wait()
        send()
        goesOn.signal()
    }

    @Test func pipelinedRequestsAreAnsweredInOrder() async throws {
        let server = try EchoServer()
        let client = try RawConnection(to: server.address)
        let first = (0..<100).map {
            "POST /\($0) HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n"
        }
        client.send(first.joined() + "GET /end HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        let all = await client.readToEnd()
        let targets = all.split(separator: "\r\n").filter { $0.hasPrefix("X-Target: ") }.map { $0.dropFirst(10) }
        #expect(targets.map(String.init) == (0..<100).map { "/\($0)" } + ["/end"])
    }

    /// Each answer alone is more than may be queued, and the kernel takes it at once: nothing but the server itself
    /// moves it on to the next.
    @Test func aPipelineGoesOnWhenEachAnswerIsALot() async throws {
        var limits = ServerLimits()
        limits.maxQueuedBytesPerConnection = 10
        let server = try EchoServer(limits)
        let client = try RawConnection(to: server.address)
        let requests = (0..<50).map { "GET /\($0) HTTP/1.1\r\nHost: a\r\n\r\n" }
        client.send(requests.joined() + "GET /end HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        let all = await client.readToEnd()
        #expect(all.contains("X-Target: /49\r\n") && all.contains("X-Target: /end\r\n"))
        #expect(server.handler.kept.withLock { $0.requestCount } == 51)
    }

    @Test("One that is longer than a turn is answered whole, also when its client has finished", arguments: [20, 500])
    func aPipelineThatEndsIsAnsweredWhole(_ count: Int) async throws {
        let server = try EchoServer()
        let client = try RawConnection(to: server.address)
        client.send(String(repeating: "GET /turn HTTP/1.1\r\nHost: a\r\n\r\n", count: count))
        client.finishSending()
        let answers = await client.readToEnd().split(separator: "HTTP/1.1 200 OK").count
        #expect(answers == count)
        #expect(await eventually { server.connectionCount == 0 })
    }

    @Test("A late answer that is a lot goes, and the next one follows", arguments: [false, true])
    func aPipelineGoesOnAfterALateAnswerThatIsALot(_ finishes: Bool) async throws {
        var limits = ServerLimits()
        limits.maxQueuedBytesPerConnection = 10
        let server = try EchoServer(limits)
        let client = try RawConnection(to: server.address)
        client.send("GET /keep HTTP/1.1\r\nHost: a\r\n\r\nGET /next HTTP/1.1\r\nHost: a\r\n\r\n")
        if finishes { client.finishSending() }
        #expect(await eventually { server.handler.kept.withLock { !$0.replies.isEmpty } })
        let reply = server.handler.kept.withLock { $0.replies.removeFirst() }
        #expect(reply.send(HTTPResponse(status: 202, body: [UInt8](repeating: 0x61, count: 1000))))
        #expect(await client.read(until: "X-Target: /next").contains("X-Target: /next"))
        if finishes { #expect(await eventually { server.connectionCount == 0 }) }
    }

    @Test("What is left of a turn may be no request: the connection has its time all the same", arguments: [8, 16])
    func anEmptyLineAfterATurn(_ count: Int) async throws {
        var limits = ServerLimits()
        limits.idleTimeout = .milliseconds(300)
        let server = try EchoServer(limits)
        let client = try RawConnection(to: server.address)
        client.send(String(repeating: "GET /turn HTTP/1.1\r\nHost: a\r\n\r\n", count: count) + "\r\n")
        let start = ContinuousClock.now
        #expect(await client.readToEnd().split(separator: "HTTP/1.1 200 OK").count == count)
        #expect(ContinuousClock.now - start < .seconds(4), "it ends by itself")
        #expect(await eventually { server.connectionCount == 0 })
    }

    @Test("A refused upgrade that is held back outlives the time for a head")
    func aRefusalHeldBack() async throws {
        var limits = ServerLimits()
        limits.headTimeout = .milliseconds(200)
        limits.idleTimeout = .milliseconds(200)
        let server = try EchoServer(limits)
        let client = try RawConnection(to: server.address)
        let upgrade =
            "GET /later HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
            + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
        client.send(upgrade + "GET /next HTTP/1.1\r\nHost: a\r\n\r\n")
        let answers = await client.read(until: "X-Target: /next")
        #expect(answers.hasPrefix("HTTP/1.1 429 ") && answers.contains("X-Target: /next"))
    }

    @Test("Input that waits for its turn is counted, and given back")
    func whatWaitsIsCounted() async throws {
        var limits = ServerLimits()
        limits.maxBytesPerAddress = 100_000
        let server = try EchoServer(limits)
        do {
            let waiting =
                "GET /keep HTTP/1.1\r\nHost: a\r\n\r\n" + String(repeating: "GET /x HTTP/1.1\r\n", count: 3500)
            let first = try RawConnection(to: server.address)
            first.send(waiting)
            #expect(await eventually { server.handler.kept.withLock { $0.replies.count } == 1 })
            let second = try RawConnection(to: server.address)
            second.send(waiting)
            #expect(await second.readToEnd().isEmpty, "cut off")
            #expect(server.connectionCount == 1)
        }
        // Dropped, the reply is sent, and what waited behind it is looked at.
        server.handler.kept.withLock { $0.replies = [] }
        #expect(await eventually { server.holdsNothing })
    }

    @Test func aPipelineWaitsForALateAnswer() async throws {
        let server = try EchoServer()
        let client = try RawConnection(to: server.address)
        client.send("GET /keep HTTP/1.1\r\nHost: a\r\n\r\nGET /next HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        #expect(await eventually { server.handler.kept.withLock { !$0.replies.isEmpty } })
        client.finishSending()
        let reply = server.handler.kept.withLock { $0.replies.removeFirst() }
        #expect(reply.send(HTTPResponse(status: 202)))
        #expect(!reply.send(HTTPResponse(status: 200)))
        let all = await client.readToEnd()
        #expect(all.hasPrefix("HTTP/1.1 202 Accepted"))
        #expect(all.contains("X-Target: /next"))
        #expect(!all.contains("500"))
    }
}
