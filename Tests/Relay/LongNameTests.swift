import Foundation
import MildamRelayAPI
import MildamTransport
import Testing

@testable import MildamRelay

/// Comparing names as Unicode has it takes time that grows with the square of a run of combining marks.
@Suite("Long names")
struct LongNameTests {
    private struct Body: Decodable {
        let a: String
    }

    private func code(_ json: String) -> APIErrorCode? {
        do throws(APIError) {
            _ = try JSONBody.decode(Body.self, from: Array(json.utf8))
            return nil
        } catch {
            return error.code
        }
    }

    @Test("a field's name is 64 bytes at most, as it is written")
    func names() {
        func named(_ name: String) -> String { "{\"\(name)\":1,\"a\":\"b\"}" }
        #expect(code(named(String(repeating: "x", count: 64))) == nil)
        #expect(code(named(String(repeating: "x", count: 65))) == .badRequest)
        #expect(code(named(String(repeating: "\u{301}", count: 32))) == nil)
        #expect(code(named(String(repeating: "\u{301}", count: 30_000))) == .badRequest)
        #expect(code(named(String(repeating: "\\u0301", count: 10_000))) == .badRequest)
        #expect(code("{\"a\":\"b\",\"x\":{\"\(String(repeating: "x", count: 65))\" \n:1}}") == .badRequest)
    }

    @Test("a text is as long as the body where it is ASCII, and 256 bytes where it is not")
    func texts() {
        func saying(_ text: String) -> String { "{\"a\":\"\(text)\"}" }
        #expect(code(saying(String(repeating: "x", count: 100_000))) == nil)
        #expect(code(saying(String(repeating: "\\/", count: 100_000))) == nil)
        #expect(code(saying(String(repeating: "\u{301}", count: 128))) == nil)
        #expect(code(saying(String(repeating: "\u{301}", count: 129))) == .badRequest)
        #expect(code(saying(String(repeating: "\\u0301", count: 43))) == .badRequest)
        // A quotation mark and a colon within a text end nothing.
        #expect(code(saying(String(repeating: "\\\":", count: 1000))) == nil)
    }

    @Test("nor is anything long compared that stands in a head or a form")
    func heads() async throws {
        let relay = try TestRelay()
        let marks = String(repeating: "%CC%81", count: 2000)
        #expect(try await relay.ask(.get, "/v1/relay?\(marks)=1").apiError?.code == .badRequest)
        let form: HTTPFields = ["Content-Type": "application/x-www-form-urlencoded"]
        let named = try await relay.ask(.post, Routes.token.path, fields: form, body: Array("\(marks)=1".utf8))
        #expect(named.status == 400)
        let typed = try await relay.ask(.post, Routes.token.path, fields: form, body: Array("grant_type=\(marks)".utf8))
        #expect(try typed.value(TokenError.self).error == "unsupported_grant_type")
        let plain = String(repeating: "\u{301}", count: 4000)
        let other = try await relay.ask(.post, Routes.token.path, fields: ["Content-Type": plain], body: [0x61])
        #expect(other.status == 400)
        #expect(try await relay.ask(.get, "/v1/rooms", token: String(repeating: "\u{301}", count: 1000)).status == 401)
        await relay.server.stop()
    }

    @Test("behind a proxy, what stands before the last address is passed over")
    func forwarded() throws {
        func address(_ field: String) throws -> String {
            let request = HTTPRequest(
                method: .get,
                target: try #require(HTTPTarget("/")),
                fields: ["X-Forwarded-For": field]
            )
            return ClientAddress.of(request, behindProxy: true).ipText
        }
        let marks = String(repeating: "\u{301}", count: 4000)
        #expect(try address("\(marks), 192.0.2.1") == "192.0.2.1")
        #expect(try address("192.0.2.9,,\t192.0.2.1 ") == "192.0.2.1")
        #expect(try address(marks) == "127.0.0.1")
        #expect(try address("192.0.2.1,") == "127.0.0.1")
    }
}
