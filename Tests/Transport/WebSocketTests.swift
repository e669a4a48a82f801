import MildamSystem
import TestSupport
import Testing

@testable import MildamTransport
@testable import TransportSupport

@Suite("RFC 6455: WebSockets over a socket")
struct WebSocketTests {
    private let target: HTTPTarget

    init() throws {
        target = try #require(HTTPTarget("/ws"))
    }

    /// A raw client whose upgrade is done.
    private func open(_ server: EchoServer, receiveBuffer: Int32? = nil) async throws -> RawConnection {
        let client = try RawConnection(to: server.address, receiveBuffer: receiveBuffer)
        let answer = await client.upgrade()
        #expect(answer.hasPrefix("HTTP/1.1 101 "))
        #expect(answer.contains("\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"))
        #expect(!answer.contains("deflate"))
        return client
    }

    private func frame(_ opcode: WebSocketFrameHeader.Opcode, _ payload: [UInt8]) -> [UInt8] {
        WebSocketFrameEncoder.encode(opcode, payload, mask: [1, 2, 3, 4])
    }

    @Test func echoesAndCloses() async throws {
        let server = try EchoServer()
        let socket = try await WebSocketClient.connect(server.endpoint, target)
        var messages = socket.messages.makeAsyncIterator()
        for number in 0..<100 { try await socket.send(text: "message \(number)") }
        for number in 0..<100 { #expect(await messages.next() == .text("message \(number)")) }
        try await socket.send(text: "close")
        #expect(await messages.next() == nil)
        #expect(socket.closing == WebSocketClosing(code: 3000, reason: "as asked"))
        await #expect(throws: TransportError.closed) { try await socket.send(text: "too late") }
        #expect(await eventually { server.handler.kept.withLock { $0.closings } == [3000] })
    }

    @Test func refusedUpgrade() async throws {
        let server = try EchoServer()
        let elsewhere = try #require(HTTPTarget("/elsewhere"))
        let error = await #expect(throws: TransportError.self) {
            try await WebSocketClient.connect(server.endpoint, elsewhere)
        }
        guard case .upgradeRefused(let response) = error else { return #expect(error == .closed) }
        #expect(response.status == 401)
        #expect(response.body == Array("who are you?".utf8))
    }

    @Test func aWrongAcceptanceIsRefused() async throws {
        let answer = "HTTP/1.1 101 X\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: AAAA\r\n\r\n"
        let server = try RawServer([[.answer(answer)]])
        await #expect(throws: TransportError.protocolViolation(.webSocket(.handshake))) {
            try await WebSocketClient.connect(Endpoint(server.address), target)
        }
    }

    @Test func pingsAreAnswered() async throws {
        let server = try EchoServer()
        let client = try await open(server)
        client.send(frame(.ping, [1, 2, 3]) + frame(.text, Array("hi".utf8)))
        #expect(await client.read(9) == [0x8A, 3, 1, 2, 3, 0x81, 2] + Array("hi".utf8))
        client.send(frame(.close, [0x03, 0xE8]))
        #expect(await client.read(100) == [0x88, 2, 0x03, 0xE8])
    }

    @Test func aClientThatNeverReadsIsBehind() async throws {
        var limits = ServerLimits()
        limits.maxQueuedBytesPerConnection = 100_000
        limits.writeTimeout = .milliseconds(300)
        let server = try EchoServer(limits)
        let client = try await open(server, receiveBuffer: 4096)
        #expect(await eventually { server.handler.kept.withLock { !$0.sockets.isEmpty } })
        let socket = try #require(server.handler.kept.withLock { $0.sockets.first })
        let payload = [UInt8](repeating: 1, count: 10_000)
        var results: [SendResult: Int] = [:]
        // The kernel's buffers take some megabytes before they are full.
        for _ in 0..<10_000 where results[.closed] == nil {
            let result = socket.send(binary: payload)
            results[result, default: 0] += 1
            if result == .behind { try await Task.sleep(for: .milliseconds(2)) }
        }
        #expect(results[.closed] == 1, "the write time limit ended it: \(results)")
        #expect((1..<2000).contains(results[.queued] ?? 0), "\(results)")
        #expect(results[.behind] != nil)
        #expect(server.handler.kept.withLock { $0.closings } == [nil])
        _ = client
    }

    @Test func aSlowReaderStopsTheSender() async throws {
        let server = try EchoServer()
        var limits = ClientLimits()
        limits.maxBufferedMessages = 4
        limits.maxQueuedBytes = 50_000
        let socket = try await WebSocketClient.connect(server.endpoint, target, limits: limits)
        #expect(await eventually { server.handler.kept.withLock { !$0.sockets.isEmpty } })
        let ours = try #require(server.handler.kept.withLock { $0.sockets.first })
        var sent = 0
        while sent < 5000, ours.send(text: "\(sent) " + String(repeating: "x", count: 10_000)) == .queued {
            sent += 1
            if sent.isMultiple(of: 20) { try await Task.sleep(for: .milliseconds(1)) }
        }
        #expect(sent < 5000)
        var messages = socket.messages.makeAsyncIterator()
        for number in 0..<sent {
            guard case .text(let text) = await messages.next() else {
                return #expect(Bool(false), "ended at \(number)")
            }
            #expect(text.hasPrefix("\(number) "))
        }
        // And the other way: the client waits until the server has read.
        let reader = Task {
            var count = 0
            while count < 100, await socket.messages.makeAsyncIterator().nextCopy() != nil { count += 1 }
            return count
        }
        for _ in 0..<100 { try await socket.send(binary: [UInt8](repeating: 0, count: 20_000)) }
        #expect(await reader.value == 100)
    }

    @Test func aCancelledReaderStops() async throws {
        let server = try EchoServer()
        let socket = try await WebSocketClient.connect(server.endpoint, target)
        let task = Task {
            for await _ in socket.messages {}
            return true
        }
        task.cancel()
        #expect(await task.value)
    }

    @Test func aLetGoConnectionCloses() async throws {
        let server = try EchoServer()
        do {
            let socket = try await WebSocketClient.connect(server.endpoint, target)
            try await socket.send(text: "hi")
        }
        #expect(await eventually { server.handler.kept.withLock { $0.closings } == [1000] })
    }

    @Test func silenceIsPingedThenDropped() async throws {
        var limits = ServerLimits()
        limits.pingInterval = .milliseconds(50)
        let server = try EchoServer(limits)
        let client = try await open(server)
        #expect(await client.read(2) == [0x89, 0])
        #expect(await eventually { server.handler.kept.withLock { $0.closings } == [nil] })
        // One that answers stays.
        limits.pingInterval = .milliseconds(1500)
        let slower = try EchoServer(limits)
        let alive = try await WebSocketClient.connect(slower.endpoint, target)
        try await Task.sleep(for: .seconds(4))
        #expect(alive.closing == nil)
    }

    @Test func drainingSaysGoodbye() async throws {
        let server = try EchoServer()
        let socket = try await WebSocketClient.connect(server.endpoint, target)
        await server.server.drain(within: .seconds(5))
        var messages = socket.messages.makeAsyncIterator()
        #expect(await messages.next() == nil)
        #expect(socket.closing?.code == 1001)
    }
}

extension WebSocketConnection.Messages.AsyncIterator {
    fileprivate func nextCopy() async -> WebSocketMessage? {
        var copy = self
        return await copy.next()
    }
}
