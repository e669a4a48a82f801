import MildamWire

/// What the stored forms are put together from.
extension WireWriter {
    /// Appends whether something is so, in one byte.
    mutating func flag(_ value: Bool) { integer(UInt8(value ? 1 : 0)) }

    /// Appends whether there is a value, and the value.
    mutating func some<Value>(_ value: Value?, _ body: (inout WireWriter, Value) -> Void) {
        flag(value != nil)
        if let value { body(&self, value) }
    }

    /// Appends how many values there are, in four bytes, and the values.
    mutating func list<Values: Collection>(_ values: Values, _ body: (inout WireWriter, Values.Element) -> Void) {
        integer(UInt32(values.count))
        for value in values { body(&self, value) }
    }
}

extension WireReader {
    /// Reads whether something is so.
    @_lifetime(self: copy self)
    mutating func flag() throws(WireError) -> Bool {
        switch try integer(UInt8.self) {
        case 0: false
        case 1: true
        default: throw .invalidValue(field: "flag")
        }
    }

    /// Reads a value, where there is one.
    @_lifetime(self: copy self)
    mutating func some<Value>(_ body: (inout WireReader) throws(WireError) -> Value) throws(WireError) -> Value? {
        guard try flag() else { return nil }
        return try body(&self)
    }

    /// Reads values with their count before them.
    @_lifetime(self: copy self)
    mutating func list<Value>(_ body: (inout WireReader) throws(WireError) -> Value) throws(WireError) -> [Value] {
        var values: [Value] = []
        for _ in 0..<(try integer(UInt32.self)) { values.append(try body(&self)) }
        return values
    }
}
