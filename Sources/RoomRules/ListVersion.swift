import MildamWire

/// How new a device list is: `struct { uint32 rotation; uint64 number; }` (H8). 12 bytes.
///
/// The identity that signed it counts first. Whoever has stolen an identity key signs a list of any number; the lists of the
/// identity that follows are newer all the same.
public struct ListVersion: Hashable, Sendable, Comparable, WireEncodable, WireDecodable {
    /// How many identity keys the account had before the one that signed the list.
    public let rotation: UInt32
    /// The list's number.
    public let number: UInt64

    /// How new a list is.
    public init(rotation: UInt32 = 0, number: UInt64) {
        self.rotation = rotation
        self.number = number
    }

    /// Whether the first is older.
    public static func < (left: ListVersion, right: ListVersion) -> Bool {
        (left.rotation, left.number) < (right.rotation, right.number)
    }

    /// Reads one.
    public init(from reader: inout WireReader) throws(WireError) {
        rotation = try reader.integer()
        number = try reader.integer()
    }

    /// Appends it.
    public func encode(into writer: inout WireWriter) {
        writer.integer(rotation)
        writer.integer(number)
    }
}
