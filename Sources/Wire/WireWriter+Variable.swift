/// Vectors whose length says in its first two bits how long it is itself (RFC 9420, section 2.1.2).
extension WireWriter {
    /// The largest count of bytes that a variable-size length holds.
    public static let longestVariableVector = 1 << 30 - 1

    /// Appends a variable-size length in its one, shortest form.
    ///
    /// - Precondition: at most ``longestVariableVector``; callers bound what they encode.
    public mutating func variableLength(_ count: Int) {
        precondition((0...WireWriter.longestVariableVector).contains(count), "a vector longer than its length field")
        switch count {
        case ..<0x40: integer(UInt8(truncatingIfNeeded: count))
        case ..<0x4000: integer(UInt16(truncatingIfNeeded: 0x4000 | count))
        default: integer(UInt32(truncatingIfNeeded: 0x8000_0000 | count))
        }
    }

    /// Appends `opaque name<V>`.
    public mutating func vector(_ content: some Collection<UInt8>) {
        variableLength(content.count)
        fixed(content)
    }

    /// Appends what `body` writes as the content of a vector, `name<V>`.
    public mutating func nested(_ body: (inout WireWriter) -> Void) {
        let start = count
        body(&self)
        let size = count - start
        var length = WireWriter(capacity: 4)
        length.variableLength(size)
        insert(length.bytes, at: start)
    }

    /// Appends `Element name<V>`.
    public mutating func vector(of elements: some Sequence<some WireEncodable>) {
        nested { writer in for element in elements { element.encode(into: &writer) } }
    }

    /// Appends `optional<Value>` (RFC 9420, section 2.1.1).
    public mutating func optional(_ value: (some WireEncodable)?) {
        integer(UInt8(value == nil ? 0 : 1))
        value?.encode(into: &self)
    }
}
