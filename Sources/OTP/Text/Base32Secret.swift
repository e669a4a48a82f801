import MildamCrypto

/// A secret in base32 (RFC 4648, section 6), as people and programs write it, into secret memory and nowhere else.
package enum Base32Secret {
    /// The bytes that a text stands for.
    ///
    /// Case, spaces and dashes mean nothing, nor does padding at the end. Bits that are left over are dropped, as
    /// authenticators do, so that a text of any length is read; that of a single character stands for no byte.
    ///
    /// - Returns: `nil` where another character stands in the text.
    package static func decode(_ text: Span<UInt8>) -> SecretBytes? {
        var secret = SecretBuilder(capacity: text.count * 5 / 8 + 1)
        var pending: UInt16 = 0
        var bits = 0
        var isPadded = false
        for index in text.indices {
            let character = text[index]
            if isSeparator(character) { continue }
            if character == UInt8(ascii: "=") {
                isPadded = true
                continue
            }
            guard !isPadded, let value = value(character) else { return nil }
            pending = pending << 5 | UInt16(value)
            bits += 5
            guard bits >= 8 else { continue }
            bits -= 8
            secret.append(UInt8(truncatingIfNeeded: pending >> bits))
            pending &= (1 << bits) - 1
        }
        return secret.finish()
    }

    /// The text of a secret: upper case, without padding, as the Key Uri Format wants it.
    package static func encode(_ secret: SymmetricKey, into text: inout SecretBuilder) {
        unsafe secret.withUnsafeBytes { bytes in
            var pending: UInt16 = 0
            var bits = 0
            for index in bytes.indices {
                pending = unsafe pending << 8 | UInt16(bytes[index])
                bits += 8
                while bits >= 5 {
                    bits -= 5
                    text.append(alphabet[Int(pending >> bits) & 31])
                }
                pending &= (1 << bits) - 1
            }
            if bits > 0 { text.append(alphabet[Int(pending << (5 - bits)) & 31]) }
        }
    }

    /// Whether a text that may also be base64 is base32: nothing but its letters in one case, of a length that whole
    /// bytes have, and padded, if it is, as base32 is.
    package static func isLikely(_ text: Span<UInt8>) -> Bool {
        var letters = 0
        var padding = 0
        var hasUpperCase = false
        var hasLowerCase = false
        for index in text.indices {
            let character = text[index]
            if isSeparator(character) { continue }
            if character == UInt8(ascii: "=") {
                padding += 1
                continue
            }
            guard padding == 0, value(character) != nil else { return false }
            letters += 1
            hasUpperCase = hasUpperCase || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(character)
            hasLowerCase = hasLowerCase || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(character)
        }
        guard letters > 0, !(hasUpperCase && hasLowerCase) else { return false }
        return [0, 2, 4, 5, 7].contains(letters % 8) && (padding == 0 || (letters + padding).isMultiple(of: 8))
    }

    private static func isSeparator(_ character: UInt8) -> Bool {
        character == UInt8(ascii: "-") || character.isSpace
    }

    private static func value(_ character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): character - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): character - UInt8(ascii: "a")
        case UInt8(ascii: "2")...UInt8(ascii: "7"): character - UInt8(ascii: "2") + 26
        default: nil
        }
    }

    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)
}
