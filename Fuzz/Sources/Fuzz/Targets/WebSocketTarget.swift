@testable import MildamTransport

extension FuzzTarget {
    /// WebSocket frames; the first byte says which end reads them.
    static let webSocketFrame = FuzzTarget(
        name: "websocket-frame",
        source: .network,
        seeds: {
            let mask: [UInt8] = [1, 2, 3, 4]
            let long = [UInt8](repeating: 0x61, count: 200)
            return [
                [0] + WebSocketFrameEncoder.encode(.text, Array("hé".utf8), mask: mask),
                [1] + WebSocketFrameEncoder.encode(.binary, long, mask: nil),
                [0] + WebSocketFrameEncoder.encode(.pong, [1], mask: mask)
                    + WebSocketFrameEncoder.encode(.close, [3, 232, 0x78], mask: mask),
                [1, 0x01, 1, 0x61, 0x80, 1, 0x62],
            ]
        },
        take: { input in
            guard let first = input.first else { return }
            let role: WebSocketRole = first & 1 == 0 ? .server : .client
            let fed = mustBeTheSame(Array(input.dropFirst()), "a stream of frames") { decode($0, as: role) }
            for event in fed.events {
                if case .ping(let payload) = event { planted(payload.count == 3) }
                mustHold(
                    decode([encode(event, for: role)[...]], as: role) == Heard(events: [event]),
                    "an event that is written is heard as it was"
                )
            }
        }
    )

    private struct Heard: Equatable {
        var events: [WebSocketEvent] = []
        var violation: WebSocketViolation?
    }

    private static func decode(_ parts: [ArraySlice<UInt8>], as role: WebSocketRole) -> Heard {
        var decoder = WebSocketFrameDecoder(role: role, maxFrameBytes: 512, maxMessageBytes: 768)
        var heard = Heard()
        for part in parts {
            let bytes = Array(part)
            var position = 0
            do throws(WebSocketViolation) {
                while let event = try decoder.next(bytes.span, at: &position) { heard.events.append(event) }
            } catch {
                heard.violation = error
                return heard
            }
            mustHold(position == bytes.count, "who wants more has taken what there was")
        }
        return heard
    }

    private static func encode(_ event: WebSocketEvent, for reader: WebSocketRole) -> [UInt8] {
        let mask: [UInt8]? = reader == .server ? [9, 8, 7, 6] : nil
        return switch event {
        case .text(let text): fragments(.text, Array(text.utf8), mask)
        case .binary(let bytes): fragments(.binary, bytes, mask)
        case .ping(let bytes): WebSocketFrameEncoder.encode(.ping, bytes, mask: mask)
        case .pong(let bytes): WebSocketFrameEncoder.encode(.pong, bytes, mask: mask)
        case .close(let code, let reason):
            WebSocketFrameEncoder.encode(.close, WebSocketFrameEncoder.closePayload(code, reason), mask: mask)
        }
    }

    /// A message that is longer than a frame may be goes in two.
    private static func fragments(
        _ opcode: WebSocketFrameHeader.Opcode,
        _ bytes: [UInt8],
        _ mask: [UInt8]?
    ) -> [UInt8] {
        guard bytes.count > 512 else { return WebSocketFrameEncoder.encode(opcode, bytes, mask: mask) }
        var first = WebSocketFrameEncoder.encode(opcode, bytes[..<512], mask: mask)
        first[0] &= 0x7F
        return first + WebSocketFrameEncoder.encode(.continuation, bytes[512...], mask: mask)
    }
}
