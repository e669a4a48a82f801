import MildamSystem
import TestSupport
import Testing

@testable import MildamTransport
@testable import TransportSupport

@Suite("RFC 9112 and RFC 6455: every broken rule ends the connection, and says why")
struct ViolationTests {
    @Test func theTableIsThere() {
        #expect(Violation.table.count >= 60)
    }

    @Test("Refused by a real server", arguments: Violation.table)
    func refuses(_ row: Violation) async throws {
        let server = try EchoServer(Violation.limits)
        let client = try RawConnection(to: server.address)
        switch row.refusal {
        case .status(let status):
            // What stands behind is never taken for a request.
            client.send(row.bytes + Array("\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
            let answer = await client.readToEnd()
            #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer)")
            #expect(answer.contains("\r\nConnection: close"))
            #expect(answer.components(of: "HTTP/1.1 ") == 1, "\(answer)")
            #expect(server.handler.kept.withLock { $0.requestCount } == 0)
        case .closeCode(let code):
            #expect(await client.upgrade().hasPrefix("HTTP/1.1 101 "))
            // A text that comes too late is never echoed.
            client.send(row.bytes + WebSocketFrameEncoder.encode(.text, "late".utf8, mask: [1, 2, 3, 4]))
            let answer = await client.read(100)
            #expect(answer.suffix(4) == [0x88, 2, UInt8(code >> 8), UInt8(code & 0xFF)])
            #expect(answer.count <= 6, "at most an empty message from before is echoed: \(answer)")
            client.finishSending()
            #expect(await eventually { server.handler.kept.withLock { $0.closings } == [nil] })
        }
    }

    @Test func aRefusedVersionIsToldTheRightOne() async throws {
        let server = try EchoServer()
        let client = try RawConnection(to: server.address)
        client.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n")
        let answer = await client.readToEnd()
        for line in ["Upgrade: websocket", "Connection: close, upgrade", "Sec-WebSocket-Version: 13"] {
            #expect(answer.contains("\r\n\(line)\r\n"), "\(answer)")
        }
    }
}

extension String {
    /// How often `text` stands in it.
    fileprivate func components(of text: String) -> Int {
        var (count, rest) = (0, self[...])
        while let range = rest.firstRange(of: text) {
            count += 1
            rest = rest[range.upperBound...]
        }
        return count
    }
}
