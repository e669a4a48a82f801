import MildamWire

/// One extension, known or not (RFC 9420, section 7.2).
///
///     struct {
///         ExtensionType extension_type;
///         opaque extension_data<V>;
///     } Extension;
public struct Extension: Hashable, Sendable, WireEncodable, WireDecodable {
    /// What kind it is.
    public var type: ExtensionType
    /// Its content, as its kind has it.
    public var data: [UInt8]

    /// An extension of this content.
    public init(type: ExtensionType, data: [UInt8]) {
        self.type = type
        self.data = data
    }

    /// Reads one.
    public init(from reader: inout WireReader) throws(WireError) {
        type = try ExtensionType(from: &reader)
        data = try reader.vector()
    }

    /// Appends it.
    public func encode(into writer: inout WireWriter) {
        type.encode(into: &writer)
        writer.vector(data)
    }
}
