/// A structure with one encoding in TLS presentation language.
public protocol WireEncodable {
    /// Appends the structure.
    func encode(into writer: inout WireWriter)
}

/// A structure that can be read back, or refused.
public protocol WireDecodable {
    /// Reads the structure from the reader's position.
    init(from reader: inout WireReader) throws(WireError)
}

extension WireEncodable {
    /// The structure's encoding alone.
    public var wireBytes: [UInt8] {
        var writer = WireWriter()
        encode(into: &writer)
        return writer.bytes
    }
}

extension WireDecodable {
    /// Reads the structure from bytes that hold it and nothing else.
    public init(wireBytes: [UInt8]) throws(WireError) {
        var reader = WireReader(wireBytes.span)
        try self.init(from: &reader)
        try reader.finish()
    }
}
