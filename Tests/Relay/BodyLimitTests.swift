import Foundation
import MildamIdentity
import MildamRelayAPI
import MildamTransport
import Testing

@testable import MildamRelay

@Suite("How much content is taken, and from whom")
struct BodyLimitTests {
    private struct Case {
        let method: HTTPMethod
        let path: String
        var token: String?
        let length: Int
        /// `nil`: the content is waited for.
        let code: APIErrorCode?
    }

    @Test("the head alone decides, before anything of the content is kept")
    func heads() async throws {
        let relay = try TestRelay()
        let alice = try await Person("alice", on: relay)
        let room = try await alice.makeRoom().id
        let messages = Routes.sendToGroup.at(room).path
        let blob = Routes.blob.at(BlobPlace(room, .random())).path
        let cases = [
            Case(method: .post, path: "/v1/nowhere", length: 16_385, code: .tooLarge),
            Case(method: .post, path: "/", length: 4 << 20, code: .tooLarge),
            Case(method: .get, path: "/v1/relay", length: 16_385, code: .tooLarge),
            Case(method: .post, path: "/v1/sessions", length: 16_385, code: .tooLarge),
            Case(method: .post, path: "/v1/sessions/refresh", length: 16_385, code: .tooLarge),
            Case(method: .post, path: "/v1/sessions", length: 16_384, code: nil),
            Case(method: .post, path: "/v1/accounts", length: 65_537, code: .tooLarge),
            Case(method: .put, path: "/v1/accounts", length: 65_536, code: .tooLarge),
            Case(method: .post, path: "/v1/accounts", length: 65_536, code: nil),
            Case(method: .post, path: "/v1/rooms", token: alice.token, length: 16_385, code: .tooLarge),
            Case(method: .post, path: messages, length: 16_385, code: .unauthorized),
            Case(method: .post, path: messages, token: "nonsense", length: 16_385, code: .unauthorized),
            Case(method: .put, path: messages, token: alice.token, length: 16_385, code: .tooLarge),
            Case(method: .post, path: messages, token: alice.token, length: Limits.groupBody + 1, code: .tooLarge),
            Case(method: .post, path: messages, token: alice.token, length: Limits.groupBody, code: nil),
            Case(method: .put, path: blob, length: 16_385, code: .unauthorized),
            Case(method: .put, path: blob, token: alice.token, length: Limits.blobPiece + 1, code: .tooLarge),
            Case(method: .put, path: blob, token: alice.token, length: Limits.blobPiece, code: nil),
            Case(method: .post, path: blob, token: alice.token, length: 16_385, code: .tooLarge),
        ]
        for one in cases {
            // Where content is waited for, there is nothing to hear but the invitation to send it.
            var text = "\(one.method.rawValue) \(one.path) HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n"
            if let token = one.token { text += "Authorization: Bearer \(token)\r\n" }
            text += "Content-Length: \(one.length)\r\n\r\n"
            let answer = await (try Stranger(to: relay.server.address)).ask(text)
            let name = "\(one.method) \(one.path) \(one.length): \(answer)"
            guard let code = one.code else {
                #expect(answer.hasPrefix("HTTP/1.1 100 "), "\(name)")
                continue
            }
            #expect(answer.hasPrefix("HTTP/1.1 \(code.status) "), "\(name)")
            #expect(answer.contains("\r\nContent-Type: application/json\r\n"), "\(name)")
            let body = answer.split(separator: "\r\n\r\n").last.map { Data($0.utf8) } ?? Data()
            #expect(try JSONDecoder().decode(APIErrorBody.self, from: body).error.code == code, "\(name)")
        }
        await relay.server.stop()
    }

    @Test("what the server cannot read is answered with an error of the relay's, too")
    func violations() async throws {
        let relay = try TestRelay()
        for (text, status) in [
            ("garbage\r\n\r\n", 400), ("BREW /v1/relay HTTP/1.1\r\nHost: a\r\n\r\n", 501),
            ("GET /v1/relay HTTP/1.1\r\nHost: a\r\nX: " + String(repeating: "x", count: 20_000) + "\r\n\r\n", 431),
        ] {
            let answer = await (try Stranger(to: relay.server.address)).ask(text)
            #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer)")
            #expect(answer.contains(#""code":"bad_request""#), "\(answer)")
        }
        await relay.server.stop()
    }

    @Test("what came too slowly may come again: a client keeps it")
    func slow() async throws {
        let relay = try TestRelay()
        let parts = relay.server.parts
        let hub = LiveHub(
            loop: try EventLoop(name: "test-loop"),
            reads: parts.live,
            tokens: parts.tokens,
            proofs: parts.proofs,
            gate: parts.gate,
            metrics: parts.metrics,
            incarnation: parts.restoration.incarnation,
            cursors: parts.cursors,
            clock: parts.clock
        )
        let answer = RelayService(parts, hub: hub).refusal(408, of: nil)
        #expect(answer.status == 408)
        #expect(try JSONDecoder().decode(APIErrorBody.self, from: Data(answer.body)).error.code == .unavailable)
        await relay.server.stop()
    }

    @Test("a message as long as may be arrives")
    func longest() async throws {
        let relay = try TestRelay()
        let alice = try await Person("alice", on: relay)
        let group = try await alice.makeRoom()
        let half = [UInt8](repeating: 0, count: Limits.message / 2)
        let sealing = group.message(half).count - half.count
        #expect(try await alice.say(String(repeating: "x", count: Limits.message - sealing), in: group).status == 201)
        let longer = try await alice.say(String(repeating: "x", count: Limits.message - sealing + 1), in: group)
        #expect(longer.apiError?.code == .badRequest)
        await relay.server.stop()
    }
}
