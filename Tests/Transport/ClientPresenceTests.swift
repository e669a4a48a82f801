import TestSupport
import Testing

@testable import MildamTransport
@testable import TransportSupport

@Suite("Whether a client is still there")
struct ClientPresenceTests {
    /// A server that keeps a request, and what it knows of its client.
    private func kept(_ server: EchoServer) async throws -> HTTPReply {
        #expect(await eventually { server.handler.kept.withLock { $0.replies.count } == 1 })
        return try #require(server.handler.kept.withLock { $0.replies.first })
    }

    @Test func oneWhoWaitsIsThere() async throws {
        let server = try EchoServer()
        let client = try RawConnection(to: server.address)
        client.send("GET /keep HTTP/1.1\r\nHost: a\r\n\r\n")
        let reply = try await kept(server)
        #expect(reply.client.state == .present)
        reply.send(HTTPResponse(status: 204))
        #expect(await client.read(until: "\r\n\r\n").hasPrefix("HTTP/1.1 204"))
        #expect(reply.client.state == .present)
    }

    @Test("One who has finished sending may still read, and is answered")
    func finished() async throws {
        let server = try EchoServer()
        let client = try RawConnection(to: server.address)
        client.send("GET /keep HTTP/1.1\r\nHost: a\r\n\r\n")
        let reply = try await kept(server)
        client.finishSending()
        #expect(await eventually { reply.client.state == .finished })
        reply.send(HTTPResponse(status: 204))
        #expect(await client.readToEnd().hasPrefix("HTTP/1.1 204"))
        #expect(await eventually { reply.client.state == .gone })
    }

    @Test("One who hung up on an answer is gone")
    func gone() async throws {
        let server = try EchoServer()
        let reply: HTTPReply
        do {
            let client = try RawConnection(to: server.address)
            // What it did not read makes the kernel say that it is gone, and not only that it has finished.
            client.send("GET /unread HTTP/1.1\r\nHost: a\r\n\r\nGET /keep HTTP/1.1\r\nHost: a\r\n\r\n")
            reply = try await kept(server)
            withExtendedLifetime(client) {}
        }
        #expect(await eventually { reply.client.state == .gone })
    }
}
