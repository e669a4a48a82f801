/// Lower-case hexadecimal, strict: an even number of digits and nothing else.
public enum Hex {
    /// The text of `bytes`, two lower-case digits a byte.
    public static func encode(_ bytes: some Sequence<UInt8>) -> String {
        var digits: [UInt8] = []
        digits.reserveCapacity(bytes.underestimatedCount * 2)
        for byte in bytes {
            digits.append(alphabet[Int(byte >> 4)])
            digits.append(alphabet[Int(byte & 15)])
        }
        return String(decoding: digits, as: UTF8.self)
    }

    /// The bytes of `text`; upper-case digits are read too.
    public static func decode(_ text: String) throws(WireError) -> [UInt8] {
        let digits = Array(text.utf8)
        guard digits.count.isMultiple(of: 2) else { throw .invalidText }
        var bytes = [UInt8](repeating: 0, count: digits.count / 2)
        var target = bytes.mutableSpan
        try decode(ascii: digits.span, into: &target)
        return bytes
    }

    /// Reads the bytes of a text into memory of exactly their size, and into no other: for secrets.
    public static func decode(ascii digits: Span<UInt8>, into bytes: inout MutableSpan<UInt8>) throws(WireError) {
        guard digits.count == 2 * bytes.count else { throw .invalidText }
        for index in bytes.indices {
            guard let high = value(digits[2 * index]), let low = value(digits[2 * index + 1]) else {
                throw .invalidText
            }
            bytes[index] = high << 4 | low
        }
    }

    private static let alphabet = Array("0123456789abcdef".utf8)

    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
