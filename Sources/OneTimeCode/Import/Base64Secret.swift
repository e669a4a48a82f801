import MildamCrypto
import MildamOTP
import MildamWire

/// Bytes in base64 (RFC 4648), into secret memory and nowhere else.
enum Base64Secret {
    /// The bytes of a padded text, strictly read.
    static func decode(_ text: Span<UInt8>) -> SecretBytes? { decode(text, as: .standard) }

    /// The bytes of a text of either alphabet, with or without padding and white space.
    static func decodeTolerantly(_ text: Span<UInt8>) -> SecretBytes? {
        var characters = SecretBuilder(capacity: text.count)
        var isPadded = false
        for index in text.indices where !text[index].isSpace {
            switch text[index] {
            case UInt8(ascii: "="): isPadded = true
            case _ where isPadded: return nil
            case UInt8(ascii: "-"): characters.append(UInt8(ascii: "+"))
            case UInt8(ascii: "_"): characters.append(UInt8(ascii: "/"))
            default: characters.append(text[index])
            }
        }
        return decode(characters.span, as: .unpadded)
    }

    /// The padded text of the bytes.
    static func encode(_ bytes: Span<UInt8>) -> SecretBytes {
        // By groups of three bytes, so that what the array holds is wiped before it outgrows its memory.
        var text = SecretBuilder(capacity: (bytes.count + 2) / 3 * 4)
        var group: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            Base64.standard.encode(bytes.extracting(start..<min(start + 3, bytes.count)), into: &group)
            text.append(group.span)
            group.wipe()
            group.removeAll(keepingCapacity: true)
        }
        return text.finish()
    }

    private static func decode(_ text: Span<UInt8>, as form: Base64) -> SecretBytes? {
        var count = 0
        let bytes = try? unsafe SecretBytes(count: Base64.maximumByteCount(of: text.count)) {
            memory throws(WireError) in
            var output = unsafe MutableSpan<UInt8>(_unsafeBytes: memory)
            count = try form.decode(ascii: text, into: &output)
        }
        guard let bytes else { return nil }
        return SecretBytes(copying: bytes.span.extracting(..<count))
    }
}
