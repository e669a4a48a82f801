import Testing

@testable import MildamTransport

@Suite("RFC 6455, section 5: frames")
struct WebSocketFrameTests {
    typealias Row = (name: String, bytes: [UInt8], violation: WebSocketViolation)

    private static let mask: [UInt8] = [0x37, 0xFA, 0x21, 0x3D]

    /// A client's frame with any first byte.
    private static func frame(_ first: UInt8, _ payload: [UInt8]) -> [UInt8] {
        [first, 0x80 | UInt8(payload.count)] + mask + payload.enumerated().map { $1 ^ mask[$0 & 3] }
    }

    static let refused: [Row] = [
        ("RSV1", frame(0xC1, []), .reservedBits),
        ("RSV2", frame(0xA1, []), .reservedBits),
        ("RSV3", frame(0x91, []), .reservedBits),
        ("opcode 3", frame(0x83, []), .opcode),
        ("opcode 11", frame(0x8B, []), .opcode),
        ("no mask", [0x81, 0x01, 0x61], .masking),
        ("control of 126 bytes", [0x89, 0xFE, 0, 126], .controlFrame),
        ("fragmented ping", frame(0x09, []), .controlFrame),
        ("16-bit length of 125", [0x82, 0xFE, 0, 125], .length),
        ("64-bit length of 65535", [0x82, 0xFF, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF], .length),
        ("64-bit length with its highest bit", [0x82, 0xFF, 0x80, 0, 0, 0, 0, 0, 0, 0], .length),
        ("frame too large", [0x82, 0xFE, 0x02, 0x01] + mask, .tooLarge),
        ("64-bit frame too large", [0x82, 0xFF, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF] + mask, .tooLarge),
        ("continuation of nothing", frame(0x80, []), .fragmentation),
        ("text inside text", frame(0x01, [0x61]) + frame(0x81, [0x61]), .fragmentation),
        ("not UTF-8", frame(0x81, [0xC0, 0xAF]), .utf8),
        ("surrogate", frame(0x81, [0xED, 0xA0, 0x80]), .utf8),
        ("overlong", frame(0x81, [0xE0, 0x80, 0x80]), .utf8),
        ("past U+10FFFF", frame(0x81, [0xF4, 0x90, 0x80, 0x80]), .utf8),
        ("half a character", frame(0x81, [0xE2, 0x82]), .utf8),
        ("half a character over fragments", frame(0x01, [0xE2]) + frame(0x80, [0x82]), .utf8),
        ("wrong byte in a fragment", frame(0x01, [0xE2, 0x28]), .utf8),
        ("one byte of close code", frame(0x88, [3]), .closeCode),
        ("close 1005", frame(0x88, [0x03, 0xED]), .closeCode),
        ("close 1006", frame(0x88, [0x03, 0xEE]), .closeCode),
        ("close 999", frame(0x88, [0x03, 0xE7]), .closeCode),
        ("close 5000", frame(0x88, [0x13, 0x88]), .closeCode),
        ("close 1004", frame(0x88, [0x03, 0xEC]), .closeCode),
        ("close 1015", frame(0x88, [0x03, 0xF7]), .closeCode),
        ("close 2999", frame(0x88, [0x0B, 0xB7]), .closeCode),
        ("close 0", frame(0x88, [0, 0]), .closeCode),
        ("reason not UTF-8", frame(0x88, [0x03, 0xE8, 0xFF]), .utf8),
        ("ping with RSV1", frame(0xC9, []), .reservedBits),
        ("fragmented close", frame(0x08, [0x03, 0xE8]), .controlFrame),
        ("ping of 64-bit length", [0x89, 0xFF, 0, 0, 0, 0, 0, 1, 0, 0], .controlFrame),
        ("no mask on a ping", [0x89, 0x00], .masking),
        ("opcode 7", frame(0x87, []), .opcode),
        ("opcode 15", frame(0x8F, []), .opcode),
        ("continuation after the end", frame(0x02, []) + frame(0x80, []) + frame(0x80, []), .fragmentation),
        ("binary inside text", frame(0x01, [0x61]) + frame(0x82, [0x61]), .fragmentation),
        (
            "message too large over fragments",
            (0..<6).flatMap { frame($0 == 0 ? 0x02 : 0x00, [UInt8](repeating: 0, count: 100)) }, .tooLarge
        ),
    ]

    @Test("Refused wherever the bytes are cut", arguments: refused)
    func refuses(_ row: Row) {
        for cut in row.bytes.indices {
            #expect(decode([row.bytes[..<cut], row.bytes[cut...]]) == .failure(row.violation), "cut at \(cut)")
        }
        #expect(decode(row.bytes.map { [$0][...] }) == .failure(row.violation))
    }

    @Test func aServersFrameHasNoMask() {
        #expect(decode([Self.frame(0x81, [0x61])[...]], role: .client) == .failure(.masking))
        #expect(decode([[0x81, 0x01, 0x61]], role: .client) == .success([.text("a")]))
    }

    @Test func fragmentsWithAPingBetween() {
        let bytes =
            Self.frame(0x01, [0xE2]) + Self.frame(0x89, [1]) + Self.frame(0x00, [0x82]) + Self.frame(0x80, [0xAC])
        let expected: [WebSocketEvent] = [.ping([1]), .text("\u{20AC}")]
        for cut in bytes.indices {
            #expect(decode([bytes[..<cut], bytes[cut...]]) == .success(expected), "cut at \(cut)")
        }
    }

    @Test func aMessageOfManyFragmentsIsBounded() {
        let piece = [UInt8](repeating: 0, count: 100)
        let bytes = Self.frame(0x02, piece) + (0..<10).flatMap { _ in Self.frame(0x00, piece) }
        #expect(decode([bytes[...]]) == .failure(.tooLarge))
    }

    @Test("Round trip, and nothing before the last byte", arguments: [0, 1, 125, 126, 127, 255, 512])
    func roundTrip(_ count: Int) {
        let payload = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        let masked = WebSocketFrameEncoder.encode(.binary, payload, mask: Self.mask)
        let plain = WebSocketFrameEncoder.encode(.binary, payload, mask: nil)
        for cut in masked.indices {
            #expect(decode([masked[..<cut]]) == .success([]), "cut at \(cut)")
            #expect(decode([masked[..<cut], masked[cut...]]) == .success([.binary(payload)]), "cut at \(cut)")
        }
        #expect(decode([plain[...]], role: .client) == .success([.binary(payload)]))
    }

    @Test func longLengths() {
        let payload = [UInt8](repeating: 7, count: 70_000)
        let frame = WebSocketFrameEncoder.encode(.binary, payload, mask: Self.mask)
        #expect(frame.count == payload.count + 14)
        #expect(decode([frame[...]], limit: 70_000) == .success([.binary(payload)]))
        #expect(decode([frame[...]], limit: 69_999) == .failure(.tooLarge))
    }

    @Test("One flipped bit never gives the same message, and never a crash")
    func flippedBits() {
        let bytes = WebSocketFrameEncoder.encode(.text, "mildam".utf8, mask: Self.mask)
        for index in bytes.indices {
            for bit in 0..<8 {
                var flipped = bytes
                flipped[index] ^= 1 << UInt8(bit)
                #expect(decode([flipped[...]]) != .success([.text("mildam")]), "byte \(index), bit \(bit)")
            }
        }
    }

    @Test("RFC 6455, section 1.3: the example")
    func acceptance() {
        #expect(WebSocketHandshake.accept(of: "dGhlIHNhbXBsZSBub25jZQ==") == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
    }

    @Test func closeReasonsAreCutBetweenCharacters() {
        let payload = WebSocketFrameEncoder.closePayload(1000, String(repeating: "\u{20AC}", count: 60))
        #expect(payload.count == 125)
        let frame = WebSocketFrameEncoder.encode(.close, payload, mask: nil)
        let reason = String(repeating: "\u{20AC}", count: 41)
        #expect(decode([frame[...]], role: .client) == .success([.close(code: 1000, reason: reason)]))
    }

    private func decode(
        _ pieces: [ArraySlice<UInt8>],
        role: WebSocketRole = .server,
        limit: Int = 512
    ) -> Result<[WebSocketEvent], WebSocketViolation> {
        var decoder = WebSocketFrameDecoder(role: role, maxFrameBytes: limit, maxMessageBytes: limit)
        var events: [WebSocketEvent] = []
        do throws(WebSocketViolation) {
            for piece in pieces {
                let bytes = Array(piece)
                var position = 0
                while let event = try decoder.next(bytes.span, at: &position) { events.append(event) }
            }
            return .success(events)
        } catch {
            return .failure(error)
        }
    }
}
