import MildamWire

/// Bytes that are hexadecimal in JSON.
public struct HexBytes: Codable, Hashable, Sendable {
    /// The bytes.
    public let bytes: [UInt8]

    /// These bytes.
    public init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Reads them from a string.
    public init(from decoder: any Decoder) throws {
        bytes = try Hex.decode(try decoder.singleValueContainer().decode(String.self))
    }

    /// Writes them as a string.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(Hex.encode(bytes))
    }
}
