/// Writes frames (RFC 6455, section 5.2), unfragmented and with the shortest length.
enum WebSocketFrameEncoder {
    /// - Parameter mask: four unpredictable bytes for a client, `nil` for a server.
    static func encode(
        _ opcode: WebSocketFrameHeader.Opcode,
        _ payload: some Collection<UInt8>,
        mask: [UInt8]?
    ) -> [UInt8] {
        let count = payload.count
        var frame: [UInt8] = []
        frame.reserveCapacity(count + WebSocketFrameHeader.maxSize)
        frame.append(0x80 | opcode.rawValue)
        let maskBit: UInt8 = mask == nil ? 0 : 0x80
        switch count {
        case ...125:
            frame.append(maskBit | UInt8(count))
        case ...0xFFFF:
            frame.append(maskBit | 126)
            frame.append(UInt8(count >> 8))
            frame.append(UInt8(count & 0xFF))
        default:
            frame.append(maskBit | 127)
            for shift in stride(from: 56, through: 0, by: -8) { frame.append(UInt8(count >> shift & 0xFF)) }
        }
        guard let mask else {
            frame.append(contentsOf: payload)
            return frame
        }
        frame.append(contentsOf: mask)
        let start = frame.count
        frame.append(contentsOf: payload)
        for index in 0..<count { frame[start + index] ^= mask[index & 3] }
        return frame
    }

    /// The payload of a close frame: a code, and as much of the reason as fits without breaking a character.
    static func closePayload(_ code: UInt16?, _ reason: String) -> [UInt8] {
        guard let code else { return [] }
        var payload = [UInt8(code >> 8), UInt8(code & 0xFF)]
        for character in reason.unicodeScalars {
            let bytes = Array(String(character).utf8)
            guard payload.count + bytes.count <= 125 else { break }
            payload.append(contentsOf: bytes)
        }
        return payload
    }
}
