import MildamCrypto

/// Percent-encoding (RFC 3986, section 2.1), on a part of a text.
package enum PercentText {
    /// Gives the bytes that a text stands for.
    ///
    /// - Parameter plusIsSpace: whether the text is a form's (`application/x-www-form-urlencoded`), where `+` is a space.
    /// - Returns: whether each percent sign had two hexadecimal digits behind it.
    package static func decode(_ text: Span<UInt8>, plusIsSpace: Bool = false, _ take: (UInt8) -> Void) -> Bool {
        var index = 0
        while index < text.count {
            let character = text[index]
            index += 1
            switch character {
            case UInt8(ascii: "%"):
                guard index + 1 < text.count, let high = text[index].hexadecimalValue,
                    let low = text[index + 1].hexadecimalValue
                else { return false }
                take(high << 4 | low)
                index += 2
            case UInt8(ascii: "+") where plusIsSpace: take(UInt8(ascii: " "))
            default: take(character)
            }
        }
        return true
    }

    /// The text, decoded, where it is well-formed and UTF-8.
    package static func string(_ text: Span<UInt8>, plusIsSpace: Bool = false) -> String? {
        var bytes: [UInt8] = []
        guard decode(text, plusIsSpace: plusIsSpace, { bytes.append($0) }) else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }

    /// The text, decoded into secret memory, where it is well-formed.
    package static func secret(_ text: Span<UInt8>, plusIsSpace: Bool = false) -> SecretBytes? {
        var bytes = SecretBuilder(capacity: text.count)
        guard decode(text, plusIsSpace: plusIsSpace, { bytes.append($0) }) else { return nil }
        return bytes.finish()
    }

    /// Appends a text with every character encoded but the unreserved ones (RFC 3986, section 2.3) and those named.
    package static func encode(_ text: String, keeping kept: String = "", into output: inout SecretBuilder) {
        for byte in text.utf8 {
            if byte.isUnreserved || kept.utf8.contains(byte) {
                output.append(byte)
            } else {
                output.append(UInt8(ascii: "%"))
                output.append(hexadecimalDigits[Int(byte >> 4)])
                output.append(hexadecimalDigits[Int(byte & 15)])
            }
        }
    }

    private static let hexadecimalDigits = Array("0123456789ABCDEF".utf8)
}
