import MildamSystem
import TestSupport
import Testing

@testable import MildamTransport
@testable import TransportSupport

@Suite("RFC 9112: the server over a socket")
struct HTTPServerTests {
    @Test func keepsTheConnection() async throws {
        let server = try EchoServer()
        let client = try RawConnection(to: server.address)
        for number in 0..<3 {
            client.send("POST /\(number) HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nx\(number)")
            let answer = await client.read(until: "\r\n\r\nx\(number)")
            #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\nDate: "))
            #expect(answer.contains("\r\nContent-Length: 2\r\n"))
            #expect(answer.contains("\r\nX-Target: /\(number)\r\n"))
        }
        client.send("GET /last HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        #expect(await client.readToEnd().contains("\r\nConnection: close\r\n"))
    }

    @Test("The kernel keeps little for a client that does not read, however much waits for it")
    func unreadAnswers() async throws {
        let server = try EchoServer()
        let request = "GET /large/16000000 HTTP/1.1\r\nHost: a\r\n\r\n"
        let patient = try RawConnection(to: server.address)
        patient.send(request)
        #expect(await patient.read(16_000_000).count >= 16_000_000, "all of it comes to one who reads")
        let deaf = try RawConnection(to: server.address, receiveBuffer: 4096)
        deaf.send(request)
        #expect(await eventually { server.handler.kept.withLock { $0.requestCount } == 2 })
        try await Task.sleep(for: .milliseconds(300))
        // What still comes once the server has closed the socket is what the kernel had of it.
        server.loop.stop()
        let kept = await deaf.read(16_000_000).count
        #expect((1000..<1_000_000).contains(kept), "\(kept) bytes")
    }

    @Test func aDroppedReplyIs500() async throws {
        let server = try EchoServer()
        let client = try RawConnection(to: server.address)
        client.send("GET /drop HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(await client.read(until: "\r\n\r\n").hasPrefix("HTTP/1.1 500 "))
        client.send("GET /bad HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        let answer = await client.readToEnd()
        #expect(answer.hasPrefix("HTTP/1.1 500 "))
        #expect(!answer.contains("Injected"))
    }

    @Test func headAndNoContent() async throws {
        let server = try EchoServer()
        let client = try RawConnection(to: server.address)
        client.send(
            "HEAD /large/1000000 HTTP/1.1\r\nHost: a\r\n\r\nGET /empty HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
        )
        let parts = await client.readToEnd().split(separator: "\r\n\r\n", omittingEmptySubsequences: false)
        #expect(parts.count == 3)
        #expect(parts[0].contains("Content-Length: 1000000"))
        #expect(parts[1].hasPrefix("HTTP/1.1 204 ") && !parts[1].contains("Content-Length"))
    }

    @Test func expectContinue() async throws {
        let server = try EchoServer()
        let client = try RawConnection(to: server.address)
        client.send("POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n")
        #expect(await client.read(until: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
        client.send("ok")
        #expect(await client.read(until: "\r\n\r\nok").hasSuffix("ok"))
        // Too long: told so instead of being asked for it.
        client.send("POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 99999999\r\n\r\n")
        let answer = await client.readToEnd()
        #expect(answer.hasPrefix("HTTP/1.1 413 ") && answer.contains("Connection: close"))
    }

    @Test func oldVersion() async throws {
        let server = try EchoServer()
        let closing = try RawConnection(to: server.address)
        closing.send("GET / HTTP/1.0\r\n\r\n")
        #expect(await closing.readToEnd().contains("Connection: close"))
        let keeping = try RawConnection(to: server.address)
        keeping.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
        #expect(await keeping.read(until: "\r\n\r\n").contains("Connection: keep-alive"))
        keeping.send("GET / HTTP/1.0\r\n\r\n")
        #expect(await keeping.readToEnd().contains("200 OK"))
    }

    @Test func aRefusedUploadStillHearsWhy() async throws {
        let server = try EchoServer()
        let client = try RawConnection(to: server.address)
        client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2000000\r\n\r\n")
        client.send([UInt8](repeating: 0, count: 2_000_000))
        #expect(await client.readToEnd().hasPrefix("HTTP/1.1 413 "))
    }

    @Test func aRefusedHeadHasNoContent() async throws {
        let server = try EchoServer()
        let client = try RawConnection(to: server.address)
        client.send("HEAD / HTTP/1.1\r\nHost: a\r\nContent-Length: 2000000\r\n\r\n")
        let answer = await client.readToEnd()
        #expect(answer.hasPrefix("HTTP/1.1 413 ") && answer.contains("Content-Length: 2\r\n"))
        #expect(answer.hasSuffix("\r\n\r\n"))
    }

    @Test func limitsByRequest() async throws {
        var limits = ServerLimits()
        limits.maxBodyBytes = 1
        let server = try EchoServer(limits)
        let client = try RawConnection(to: server.address)
        let head = "Host: a\r\nContent-Length: 90000\r\n"
        let body = String(repeating: "b", count: 90_000)
        client.send("PUT /blob HTTP/1.1\r\n\(head)X-May: yes\r\n\r\n\(body)")
        #expect(await client.read(until: "\r\n\r\n\(body)").hasPrefix("HTTP/1.1 200 "))
        // Only the head comes: what is refused is not waited for.
        client.send("PUT /other HTTP/1.1\r\n\(head)X-May: yes\r\n\r\n")
        let answer = await client.readToEnd()
        #expect(answer.hasPrefix("HTTP/1.1 413 ") && answer.contains("X-Refused: yes") && answer.hasSuffix("no"))
        let stranger = try RawConnection(to: server.address)
        stranger.send("PUT /blob HTTP/1.1\r\n\(head)\r\n")
        #expect(await stranger.readToEnd().hasPrefix("HTTP/1.1 413 "))
        let chunks = try RawConnection(to: server.address)
        chunks.send("PUT /chunks HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n")
        #expect(await chunks.readToEnd().hasPrefix("HTTP/1.1 413 "))
        let garbage = try RawConnection(to: server.address)
        garbage.send("garbage\r\n\r\n")
        #expect(await garbage.readToEnd().contains("X-Refused: yes"))
        #expect(server.handler.kept.withLock { $0.refused } == ["413 /other", "413 /blob", "413 /chunks", "400 -"])
    }

    @Test func contentOfAllTogetherIsLimited() async throws {
        var limits = ServerLimits()
        limits.maxBufferedBodyBytes = 100
        let server = try EchoServer(limits)
        let head = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 90\r\n\r\n"
        let part = String(repeating: "b", count: 60)
        let rest = String(repeating: "b", count: 30)
        let first = try RawConnection(to: server.address)
        first.send(head + part)
        // Once this is answered, the loop has seen what came before.
        let probe = try RawConnection(to: server.address)
        probe.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(await probe.read(until: "\r\n\r\n").hasPrefix("HTTP/1.1 200 "))
        let second = try RawConnection(to: server.address)
        second.send(head + part)
        #expect(await second.readToEnd().hasPrefix("HTTP/1.1 503 "))
        // What was refused, answered or cut off is given back, each time.
        for _ in 0..<3 {
            first.send(rest)
            #expect(await first.read(until: part + rest).hasPrefix("HTTP/1.1 200 "))
            do {
                let gone = try RawConnection(to: server.address)
                gone.send(head + part)
                gone.finishSending()
                #expect(await gone.readToEnd().isEmpty)
            }
            first.send(head + part)
        }
        first.send(rest)
        #expect(await first.read(until: part + rest).hasPrefix("HTTP/1.1 200 "))
        #expect(server.handler.kept.withLock { $0.refused } == ["503 /"])
    }

    @Test func listeningIsSaidOnlyOfOneThatListens() throws {
        let loop = try EventLoop(name: "test-server")
        loop.start()
        let ended = HTTPServer(loop: loop, address: .loopback(port: 0), handler: EchoServer.Handler())
        loop.stop()
        #expect(throws: TransportError.closed) { try ended.start() }
    }

    @Test(
        "Time limits",
        arguments: [
            ("", ""), ("GET / HT", "HTTP/1.1 408 "), ("GET / HTTP/1.1\r\nHost: a\r\n", "HTTP/1.1 408 "),
            ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nabc", "HTTP/1.1 408 "),
        ]
    )
    func timeLimits(_ text: String, _ expected: String) async throws {
        var limits = ServerLimits()
        limits.headTimeout = .milliseconds(50)
        limits.bodyTimeout = .milliseconds(50)
        limits.closeTimeout = .milliseconds(50)
        let server = try EchoServer(limits)
        let client = try RawConnection(to: server.address)
        client.send(text)
        let answer = await client.readToEnd()
        #expect(expected.isEmpty ? answer.isEmpty : answer.hasPrefix(expected))
    }

    @Test func idleConnectionsEnd() async throws {
        var limits = ServerLimits()
        limits.idleTimeout = .milliseconds(50)
        let server = try EchoServer(limits)
        let client = try RawConnection(to: server.address)
        client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(await client.readToEnd().hasPrefix("HTTP/1.1 200 "))
    }

    @Test func aClientThatNeverReadsIsNotServedForEver() async throws {
        var limits = ServerLimits()
        limits.maxQueuedBytesPerConnection = 100_000
        limits.writeTimeout = .milliseconds(200)
        let server = try EchoServer(limits)
        let client = try RawConnection(to: server.address, receiveBuffer: 4096)
        let many = String(repeating: "GET /large/1000000 HTTP/1.1\r\nHost: a\r\n\r\n", count: 200)
        client.send(many)
        try await Task.sleep(for: .milliseconds(500))
        // The kernel's buffers hold a few; the rest was never begun.
        #expect(server.handler.kept.withLock { $0.requestCount } < 50)
    }

    @Test func connectionsAreCounted() async throws {
        var limits = ServerLimits()
        limits.maxConnections = 2
        limits.headTimeout = .seconds(120)
        let server = try EchoServer(limits)
        let first = try RawConnection(to: server.address)
        let second = try RawConnection(to: server.address)
        let third = try RawConnection(to: server.address)
        let request = "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
        third.send(request)
        second.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(await second.read(until: "\r\n\r\n").hasPrefix("HTTP/1.1 200 "))
        #expect(server.handler.kept.withLock { $0.requestCount } == 1)
        first.send(request)
        #expect(await first.readToEnd().hasPrefix("HTTP/1.1 200 "))
        first.finishSending()
        #expect(await third.readToEnd().hasPrefix("HTTP/1.1 200 "))
    }

    @Test func drains() async throws {
        let server = try EchoServer()
        let idle = try RawConnection(to: server.address)
        idle.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(await idle.read(until: "\r\n\r\n").hasPrefix("HTTP/1.1 200 "))
        let busy = try RawConnection(to: server.address)
        busy.send("GET /keep HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(await eventually { server.handler.kept.withLock { !$0.replies.isEmpty } })
        async let drained: Void = server.server.drain(within: .seconds(5))
        #expect(await idle.readToEnd().isEmpty)
        server.handler.kept.withLock { $0.replies.removeFirst() }.send(HTTPResponse(status: 200))
        #expect(await busy.readToEnd().contains("Connection: close"))
        await drained
        #expect(throws: SystemError.self) { try RawConnection(to: server.address) }
    }

    @Test("curl agrees", .enabled(if: Program.areExpected(["curl"], from: "curl")))
    func curl() throws {
        let server = try EchoServer()
        let url = "http://\(server.address)/a"
        let result = try Program.run(
            "curl",
            ["-sS", "-i", "--data-binary", "@-", url, "--next", "-sSI", url],
            input: "hello"
        )
        #expect(result.status == 0, "\(result)")
        #expect(result.output.contains("\r\n\r\nhelloHTTP/1.1 200 OK"))
        #expect(result.output.contains("X-Method: HEAD"))
    }
}
