/// Lower-case base32 without padding (the alphabet of RFC 4648, section 6), as identifiers are shown.
public enum Base32 {
    /// The text of `bytes`.
    public static func encode(_ bytes: some Sequence<UInt8>) -> String { encode(Array(bytes)) }

    /// Not generic, so that nobody pays for a generic loop.
    private static func encode(_ bytes: [UInt8]) -> String { String(decoding: encode(bytes.span), as: UTF8.self) }

    /// The text of `bytes` as its ASCII characters: for secrets, which the caller wipes.
    public static func encode(_ bytes: Span<UInt8>) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count * 8 + 4) / 5)
        var pending: UInt16 = 0
        var bits = 0
        for index in bytes.indices {
            pending = pending << 8 | UInt16(bytes[index])
            bits += 8
            while bits >= 5 {
                bits -= 5
                text.append(alphabet[Int(pending >> bits) & 31])
            }
            pending &= (1 << bits) - 1
        }
        if bits > 0 { text.append(alphabet[Int(pending << (5 - bits)) & 31]) }
        return text
    }

    /// The bytes of `text`: lower case only, and the unused bits of the last character must be zero.
    public static func decode(_ text: some StringProtocol) throws(WireError) -> [UInt8] {
        try decode(Array(text.utf8).span)
    }

    /// The bytes of ASCII characters; not generic, too: identifiers are read with every request.
    public static func decode(_ characters: Span<UInt8>) throws(WireError) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(characters.count * 5 / 8)
        var pending: UInt16 = 0
        var bits = 0
        for index in characters.indices {
            let character = characters[index]
            let value: UInt8
            switch character {
            case UInt8(ascii: "a")...UInt8(ascii: "z"): value = character - UInt8(ascii: "a")
            case UInt8(ascii: "2")...UInt8(ascii: "7"): value = character - UInt8(ascii: "2") + 26
            default: throw .invalidText
            }
            pending = pending << 5 | UInt16(value)
            bits += 5
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(truncatingIfNeeded: pending >> bits))
                pending &= (1 << bits) - 1
            }
        }
        guard bits < 5, pending == 0 else { throw .invalidText }
        return bytes
    }

    private static let alphabet = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)
}
