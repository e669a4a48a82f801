import MildamWire

extension WireReader {
    /// `opaque name<V>` of so many bytes: the length is looked at before anything is copied.
    ///
    /// - Throws: `lengthOutOfRange`, and what ``MildamWire/WireReader/variableLength()`` throws.
    @_lifetime(self: copy self)
    mutating func vector(in range: ClosedRange<Int>) throws(WireError) -> [UInt8] {
        let count = try variableLength()
        guard range.contains(count) else { throw .lengthOutOfRange(count) }
        return try fixed(count)
    }

    /// A number of a message, an epoch or a mailbox item, which has a next one.
    ///
    /// - Throws: `invalidValue`.
    @_lifetime(self: copy self)
    mutating func number(_ field: String) throws(WireError) -> UInt64 {
        let number = try integer(UInt64.self)
        guard number <= Limits.number else { throw .invalidValue(field: field) }
        return number
    }
}
