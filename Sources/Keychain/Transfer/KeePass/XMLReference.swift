import MildamCrypto

/// References in XML text (XML 1.0, section 4.1): characters by their number, and the five predefined entities.
enum XMLReference {
    /// The character that the reference at an ampersand stands for, and where the text goes on; `nil` for an entity that is
    /// not predefined, and for a character that XML does not have.
    static func read(_ text: Span<UInt8>, at start: Int) -> (Unicode.Scalar, end: Int)? {
        var end = start + 1
        // The longest is "&#x0010FFFF;" with a few zeros more.
        while end < text.count, end - start <= 16, text[end] != UInt8(ascii: ";") { end += 1 }
        guard end < text.count, text[end] == UInt8(ascii: ";") else { return nil }
        let name = (start + 1..<end).map { text[$0] }
        guard let scalar = scalar(name) else { return nil }
        return (scalar, end + 1)
    }

    /// Appends what a text says: references are resolved, and line ends become line feeds (XML 1.0, section 2.11).
    static func append(_ text: Span<UInt8>, isRaw: Bool, to bytes: inout SecretBuilder) {
        var position = 0
        while position < text.count {
            let byte = text[position]
            if byte == UInt8(ascii: "&"), !isRaw, let (scalar, end) = read(text, at: position) {
                for unit in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter { bytes.append(unit) }
                position = end
            } else if byte == UInt8(ascii: "\r") {
                bytes.append(UInt8(ascii: "\n"))
                position += position + 1 < text.count && text[position + 1] == UInt8(ascii: "\n") ? 2 : 1
            } else {
                bytes.append(byte)
                position += 1
            }
        }
    }

    private static func scalar(_ name: [UInt8]) -> Unicode.Scalar? {
        guard name.first == UInt8(ascii: "#") else { return predefined[String(decoding: name, as: UTF8.self)] }
        let isHexadecimal = name.dropFirst().first == UInt8(ascii: "x")
        let digits = String(decoding: name.dropFirst(isHexadecimal ? 2 : 1), as: UTF8.self)
        guard let first = digits.utf8.first, first != UInt8(ascii: "+"), first != UInt8(ascii: "-"),
            let number = UInt32(digits, radix: isHexadecimal ? 16 : 10), let scalar = Unicode.Scalar(number)
        else { return nil }
        switch number {
        case 0x9, 0xa, 0xd, 0x20...0xd7ff, 0xe000...0xfffd, 0x1_0000...0x10_ffff: return scalar
        default: return nil
        }
    }

    private static let predefined: [String: Unicode.Scalar] = [
        "lt": "<", "gt": ">", "amp": "&", "quot": "\"", "apos": "'",
    ]
}
