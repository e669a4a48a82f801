import MildamCrypto

/// Writes a message in Protocol Buffers' wire format into secret memory.
struct ProtobufWriter: ~Copyable {
    private var message = SecretBuilder()

    /// Appends a number.
    mutating func varint(_ value: UInt64, field number: UInt64) {
        append(number << 3)
        append(value)
    }

    /// Appends bytes: a text, a message of its own, or just bytes.
    mutating func bytes(_ value: Span<UInt8>, field number: UInt64) {
        append(number << 3 | 2)
        append(UInt64(value.count))
        message.append(value)
    }

    /// Appends a text.
    mutating func text(_ value: String, field number: UInt64) {
        let value = Array(value.utf8)
        bytes(value.span, field: number)
    }

    /// What was written.
    consuming func finish() -> SecretBytes { message.finish() }

    private mutating func append(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            message.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        message.append(UInt8(truncatingIfNeeded: rest))
    }
}
