/// What stands before a frame's payload (RFC 6455, section 5.2).
///
/// ```
/// FIN RSV1 RSV2 RSV3 opcode(4) | MASK length(7) | length 16 or 64 | masking key 32
/// ```
struct WebSocketFrameHeader: Equatable {
    enum Opcode: UInt8 {
        case continuation = 0x0
        case text = 0x1
        case binary = 0x2
        case close = 0x8
        case ping = 0x9
        case pong = 0xA

        var isControl: Bool { rawValue >= 0x8 }
    }

    /// Bytes of the longest header.
    static let maxSize = 14

    let isFinal: Bool
    let opcode: Opcode
    let length: Int
    /// Four bytes.
    let mask: [UInt8]?

    /// Reads a header from the start of `bytes`.
    ///
    /// - Parameter role: who is reading.
    /// - Returns: the header and its size, or `nil` when more bytes are needed. A broken rule is reported as soon as
    ///   the byte that breaks it is there.
    static func decode(
        _ bytes: [UInt8],
        role: WebSocketRole
    ) throws(WebSocketViolation) -> (header: WebSocketFrameHeader, size: Int)? {
        guard let first = bytes.first else { return nil }
        guard first & 0x70 == 0 else { throw .reservedBits }
        guard let opcode = Opcode(rawValue: first & 0x0F) else { throw .opcode }
        let isFinal = first & 0x80 != 0
        guard isFinal || !opcode.isControl else { throw .controlFrame }
        guard bytes.count >= 2 else { return nil }
        let isMasked = bytes[1] & 0x80 != 0
        guard isMasked == (role == .server) else { throw .masking }
        let short = Int(bytes[1] & 0x7F)
        guard short <= 125 || !opcode.isControl else { throw .controlFrame }
        let extra = short == 126 ? 2 : short == 127 ? 8 : 0
        guard bytes.count >= 2 + extra else { return nil }
        var length = UInt64(short)
        if extra > 0 {
            length = bytes[2..<2 + extra].reduce(0) { $0 << 8 | UInt64($1) }
            guard length <= UInt64(Int.max), length > (extra == 2 ? 125 : 0xFFFF) else { throw .length }
        }
        let size = 2 + extra + (isMasked ? 4 : 0)
        guard bytes.count >= size else { return nil }
        let mask = isMasked ? Array(bytes[size - 4..<size]) : nil
        let header = WebSocketFrameHeader(isFinal: isFinal, opcode: opcode, length: Int(length), mask: mask)
        return (header, size)
    }
}
