import Testing

@testable import MildamTransport

/// What breaks a rule, and the refusal that a real server answers with.
struct Violation: CustomTestStringConvertible, Sendable {
    enum Refusal: Sendable {
        /// A status, and the end of the connection.
        case status(Int)
        /// A close code, and the end of the connection.
        case closeCode(UInt16)
    }

    let name: String
    /// Sent to a fresh connection; to one whose upgrade is done where a close code is expected.
    let bytes: [UInt8]
    let refusal: Refusal

    var testDescription: String { "\(refusal): \(name)" }

    /// Small, so that breaking them takes few bytes; the parsers' own tables are written for the same.
    static let limits: ServerLimits = {
        var limits = ServerLimits()
        limits.maxHeadBytes = 512
        limits.maxFields = 16
        limits.maxBodyBytes = 20
        limits.maxFrameBytes = 512
        limits.maxMessageBytes = 512
        return limits
    }()

    static let table = heads + chunks + contents + twoReadings + upgrades + frames

    private static let heads = HTTPHeadParserTests.refused.map { row in
        Violation(name: row.testDescription, bytes: Array(row.text.utf8), refusal: .status(row.status))
    }

    private static let chunks = ChunkedDecoderTests.refused.map { text, violation in
        let head = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
        let status =
            switch violation {
            case .bodyTooLarge: 413
            case .headTooLarge, .tooManyFields: 431
            default: 400
            }
        return Violation(name: text.debugDescription, bytes: Array((head + text).utf8), refusal: .status(status))
    }

    private static func http(_ name: String, _ head: [String], body: String = "", _ status: Int) -> Violation {
        let text = head.map { $0 + "\r\n" }.joined() + "\r\n" + body
        return Violation(name: name, bytes: Array(text.utf8), refusal: .status(status))
    }

    private static let contents = [
        http("length past the limit", ["POST / HTTP/1.1", "Host: a", "Content-Length: 21"], 413),
        http("the same of a GET", ["GET / HTTP/1.1", "Host: a", "Content-Length: 21"], 413),
        http(
            "the same, asking first",
            ["POST / HTTP/1.1", "Host: a", "Expect: 100-continue", "Content-Length: 21"],
            413
        ),
        http(
            "a chunk too many",
            ["PUT / HTTP/1.1", "Host: a", "Transfer-Encoding: chunked"],
            body: "a\r\n0123456789\r\na\r\n0123456789\r\n1\r\nx\r\n",
            413
        ),
        http(
            "endless extensions",
            ["PUT / HTTP/1.1", "Host: a", "Transfer-Encoding: chunked"],
            body: String(repeating: "1;" + String(repeating: "x", count: 250) + "\r\ny\r\n", count: 19)
                + "1;" + String(repeating: "x", count: 300),
            400
        ),
        http(
            "a second request behind broken content",
            ["PUT / HTTP/1.1", "Host: a", "Transfer-Encoding: chunked"],
            body: "1\r\nxGET / HTTP/1.1\r\nHost: a\r\n\r\n",
            400
        ),
        Violation(
            name: "a field that is not UTF-8",
            bytes: Array("GET / HTTP/1.1\r\nHost: a\r\nX: ".utf8) + [0xFF] + Array("\r\n\r\n".utf8),
            refusal: .status(400)
        ),
        Violation(name: "a TLS ClientHello", bytes: [0x16, 3, 1, 2, 0, 1, 0, 1, 0xFC, 3, 3], refusal: .status(400)),
        Violation(name: "a TLS record after \"GET\"", bytes: Array("GET \u{16}".utf8), refusal: .status(400)),
    ]

    /// Requests with content that is whole in some other reading: who took one of these would go on to what stands behind.
    private static let twoReadings = [
        http("length before chunks", ["POST / HTTP/1.1", "Host: a"] + both, body: last, 400),
        http("chunks before length", ["POST / HTTP/1.1", "Host: a"] + both.reversed(), body: last, 400),
        http("chunks, in HTTP/1.0", ["POST / HTTP/1.0", "Host: a", both[1]], body: last, 400),
        http("chunks twice", ["POST / HTTP/1.1", "Host: a", both[1], both[1]], body: last, 400),
        http("chunks twice in a list", ["POST / HTTP/1.1", "Host: a", both[1] + ", chunked"], body: last, 400),
        http("almost chunks", ["POST / HTTP/1.1", "Host: a", "Transfer-Encoding: xchunked"], body: last, 501),
        http("chunks before a space", ["POST / HTTP/1.1", "Host: a", "Transfer-Encoding : chunked"], body: last, 400),
        http("chunks folded", ["POST / HTTP/1.1", "Host: a", "Transfer-Encoding:", " chunked"], body: last, 400),
        http("length twice", ["POST / HTTP/1.1", "Host: a", both[0], both[0]], body: "hello", 400),
        http("length in a list", ["POST / HTTP/1.1", "Host: a", both[0] + ", 5"], body: "hello", 400),
        http("length with a sign", ["POST / HTTP/1.1", "Host: a", "Content-Length: +5"], body: "hello", 400),
        http("length before a space", ["POST / HTTP/1.1", "Host: a", "Content-Length : 5"], body: "hello", 400),
        http("a chunk without its end", ["POST / HTTP/1.1", "Host: a", both[1]], body: "5\r\nhello\n" + last, 400),
        http("a chunk with another end", ["POST / HTTP/1.1", "Host: a", both[1]], body: "5\r\nhelloX\n" + last, 400),
    ]
    private static let both = ["Content-Length: 5", "Transfer-Encoding: chunked"]
    private static let last = "0\r\n\r\n"

    private static func upgrade(_ name: String, _ change: (inout [String]) -> Void, _ status: Int) -> Violation {
        var lines = [
            "GET /ws HTTP/1.1", "Host: a", "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        ]
        change(&lines)
        return http(name, lines, status)
    }

    private static let upgrades = [
        upgrade("no version", { $0.remove(at: 4) }, 426),
        upgrade("version 8", { $0[4] = "Sec-WebSocket-Version: 8" }, 426),
        upgrade("two versions", { $0.append("Sec-WebSocket-Version: 13") }, 426),
        upgrade("no key", { $0.removeLast() }, 400),
        upgrade("two keys", { $0.append($0[5]) }, 400),
        upgrade("a key of 15 bytes", { $0[5] = "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAA" }, 400),
        upgrade("a key of 17 bytes", { $0[5] = "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAAA=" }, 400),
        upgrade("a key with bits too many", { $0[5] = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZR==" }, 400),
        upgrade("a key that is no base64", { $0[5] = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25j-Q==" }, 400),
        upgrade("POST", { $0[0] = "POST /ws HTTP/1.1" }, 400),
        upgrade("with content", { $0.append("Content-Length: 1") }, 400),
        upgrade("with chunks", { $0.append("Transfer-Encoding: chunked") }, 400),
    ]

    private static let frames = WebSocketFrameTests.refused.map { row in
        let code: UInt16 =
            switch row.violation {
            case .utf8: 1007
            case .tooLarge: 1009
            default: 1002
            }
        return Violation(name: row.name, bytes: row.bytes, refusal: .closeCode(code))
    }
}
