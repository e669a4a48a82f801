/// Vectors whose length says in its first two bits how long it is itself (RFC 9420, section 2.1.2).
extension WireReader {
    /// A variable-size length, of 0 to 2³⁰ − 1.
    ///
    /// - Throws: `invalidValue` for the prefix 11; `lengthNotMinimal` for one that a shorter form would hold.
    @_lifetime(self: copy self)
    public mutating func variableLength() throws(WireError) -> Int {
        let first = try integer(UInt8.self)
        guard first >> 6 < 3 else { throw .invalidValue(field: "length") }
        let width = 1 << Int(first >> 6)
        var value = Int(first & 0x3F)
        for _ in 1..<width { value = try value << 8 | Int(integer(UInt8.self)) }
        guard width == 1 || value >> (4 * width - 2) > 0 else { throw .lengthNotMinimal }
        return value
    }

    /// `opaque name<V>`.
    @_lifetime(self: copy self)
    public mutating func vector() throws(WireError) -> [UInt8] {
        try fixed(try variableLength())
    }

    /// A reader of a vector's content, `name<V>`; this one goes on behind it.
    @_lifetime(copy self)
    @_lifetime(self: copy self)
    public mutating func nested() throws(WireError) -> WireReader {
        WireReader(try take(try variableLength()))
    }

    /// `Element name<V>`.
    @_lifetime(self: copy self)
    public mutating func vector<Element: WireDecodable>(of type: Element.Type) throws(WireError) -> [Element] {
        var content = try nested()
        var elements: [Element] = []
        while content.remaining > 0 { elements.append(try Element(from: &content)) }
        return elements
    }

    /// `optional<Value>` (RFC 9420, section 2.1.1).
    @_lifetime(self: copy self)
    public mutating func optional<Value: WireDecodable>(_ type: Value.Type) throws(WireError) -> Value? {
        switch try integer(UInt8.self) {
        case 0: return nil
        case 1: return try Value(from: &self)
        default: throw .invalidValue(field: "present")
        }
    }
}
