/// Base64, strict (RFC 4648): one text for each sequence of bytes, and no other character.
public enum Base64: Sendable {
    /// `+` and `/`, padded with `=` (section 4).
    case standard
    /// `+` and `/`, without padding, as age headers have it.
    case unpadded
    /// `-` and `_`, without padding (section 5), as JWS has it.
    case url

    /// The text of `bytes`.
    public func encode(_ bytes: some Collection<UInt8>) -> String {
        let alphabet = self == .url ? Base64.urlAlphabet : Base64.standardAlphabet
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        var pending: UInt32 = 0
        var bits = 0
        for byte in bytes {
            pending = pending << 8 | UInt32(byte)
            bits += 8
            while bits >= 6 {
                bits -= 6
                text.append(alphabet[Int(pending >> bits) & 63])
            }
        }
        if bits > 0 { text.append(alphabet[Int(pending << (6 - bits)) & 63]) }
        while self == .standard, !text.count.isMultiple(of: 4) { text.append(UInt8(ascii: "=")) }
        return String(decoding: text, as: UTF8.self)
    }

    /// The bytes of `text`. Padding must be exactly what the form asks for, and unused bits must be zero.
    public func decode(_ text: some StringProtocol) throws(WireError) -> [UInt8] {
        var characters = Array(text.utf8)
        if self == .standard {
            guard characters.count.isMultiple(of: 4) else { throw .invalidText }
            for _ in 0..<2 where characters.last == UInt8(ascii: "=") { characters.removeLast() }
        }
        guard characters.count % 4 != 1 else { throw .invalidText }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(characters.count * 3 / 4)
        var pending: UInt32 = 0
        var bits = 0
        for character in characters {
            guard let value = value(of: character) else { throw .invalidText }
            pending = pending << 6 | UInt32(value)
            bits += 6
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(truncatingIfNeeded: pending >> bits))
            }
        }
        guard pending & ((1 << bits) - 1) == 0 else { throw .invalidText }
        return bytes
    }

    private func value(of character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): character - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): character - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0") + 52
        case UInt8(ascii: "+") where self != .url, UInt8(ascii: "-") where self == .url: 62
        case UInt8(ascii: "/") where self != .url, UInt8(ascii: "_") where self == .url: 63
        default: nil
        }
    }

    private static let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
    private static let standardAlphabet = Array((letters + "+/").utf8)
    private static let urlAlphabet = Array((letters + "-_").utf8)
}
