/// Reads a message in Protocol Buffers' wire format, field by field, from borrowed bytes, and copies nothing.
///
/// Groups, which ended with version 2 of the language, field number 0, lengths beyond the message and numbers beyond 64
/// bits are refused.
struct ProtobufReader: ~Escapable {
    /// What stands behind a field's number.
    enum Value {
        /// Wire type 0: a number of up to 64 bits.
        case varint(UInt64)
        /// Wire type 2: where its bytes lie in the message.
        case bytes(Range<Int>)
        /// Wire types 1 and 5: eight or four bytes, of no use here.
        case fixed
    }

    private let message: Span<UInt8>
    private var position = 0

    @_lifetime(copy message)
    init(_ message: Span<UInt8>) {
        self.message = message
    }

    /// The next field; `nil` at the end of the message.
    @_lifetime(self: copy self)
    mutating func next() throws(MigrationError) -> (number: UInt64, value: Value)? {
        guard position < message.count else { return nil }
        let key = try varint()
        let number = key >> 3
        guard (1...0x1fff_ffff).contains(number) else { throw .malformed }
        switch key & 7 {
        case 0: return (number, .varint(try varint()))
        case 1:
            _ = try take(8)
            return (number, .fixed)
        case 2:
            let count = try varint()
            guard let count = Int(exactly: count) else { throw .malformed }
            return (number, .bytes(try take(count)))
        case 5:
            _ = try take(4)
            return (number, .fixed)
        default: throw .malformed
        }
    }

    /// Seven bits a byte, the lowest first, in at most ten bytes.
    @_lifetime(self: copy self)
    private mutating func varint() throws(MigrationError) -> UInt64 {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 7) {
            guard position < message.count else { throw .malformed }
            let byte = message[position]
            position += 1
            // The tenth byte has room for one bit.
            guard shift < 63 || byte <= 1 else { throw .malformed }
            value |= UInt64(byte & 0x7f) << shift
            if byte < 0x80 { return value }
        }
        throw .malformed
    }

    @_lifetime(self: copy self)
    private mutating func take(_ count: Int) throws(MigrationError) -> Range<Int> {
        guard count <= message.count - position else { throw .malformed }
        defer { position += count }
        return position..<position + count
    }
}
