/// An item of the deterministic profile of CBOR (RFC 8949, section 4.2.1): each has one encoding.
///
/// Left out are floats, indefinite lengths, simple values but those below, and tags but 32. Two texts that look alike may
/// be equal here and have other bytes (Swift compares characters): what has to be the same is compared by its encoding.
public enum CBORValue: Hashable, Sendable {
    /// An integer from 0 to 2⁶⁴ − 1 (major type 0).
    case unsigned(UInt64)
    /// The integer −1 − n, from −2⁶⁴ to −1 (major type 1).
    case negative(UInt64)
    /// Bytes (major type 2).
    case bytes([UInt8])
    /// UTF-8 text (major type 3).
    case text(String)
    /// A list (major type 4).
    case array([CBORValue])
    /// Pairs, each key once (major type 5).
    case map(CBORMap)
    /// A URI: tag 32 before a text (RFC 8949, section 3.4.5.3).
    case uri(String)
    /// `true` or `false` (simple values 21 and 20).
    case bool(Bool)
    /// `null` (simple value 22).
    case null

    /// An integer.
    public static func integer(_ value: Int64) -> CBORValue {
        value < 0 ? .negative(UInt64(~value)) : .unsigned(UInt64(value))
    }

    /// Reads the item that bytes are.
    ///
    /// - Throws: a ``CBORDefect`` for what is not the one encoding of an item, or is larger than the reader allows.
    public init(encoded bytes: [UInt8]) throws(CBORDefect) {
        self = try CBORReader.read(bytes.span)
    }

    /// The one encoding.
    public var encoded: [UInt8] {
        var writer = WireWriter()
        CBOREncoder.append(self, to: &writer)
        return writer.bytes
    }
}
