/// A code point: a number of fixed width that has names for some of its values, and stands for itself on the wire.
public protocol WireNumber: RawRepresentable, Hashable, Sendable, WireEncodable, WireDecodable
where RawValue: FixedWidthInteger & UnsignedInteger {
    /// The code point of this number, whether it has a name or not.
    init(rawValue: RawValue)
}

extension WireNumber {
    /// Appends the number.
    public func encode(into writer: inout WireWriter) { writer.integer(rawValue) }

    /// Reads the number.
    public init(from reader: inout WireReader) throws(WireError) { self.init(rawValue: try reader.integer()) }
}
