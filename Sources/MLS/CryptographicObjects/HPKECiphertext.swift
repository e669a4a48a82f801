import MildamWire

/// A message for the holder of one key (RFC 9420, section 7.6).
///
///     struct {
///         opaque kem_output<V>;
///         opaque ciphertext<V>;
///     } HPKECiphertext;
public struct HPKECiphertext: Hashable, Sendable, WireEncodable, WireDecodable {
    /// The encapsulated key.
    public var kemOutput: [UInt8]
    /// The message and its tag of 16 bytes.
    public var ciphertext: [UInt8]

    init(kemOutput: [UInt8], ciphertext: [UInt8]) {
        self.kemOutput = kemOutput
        self.ciphertext = ciphertext
    }

    /// Reads one.
    public init(from reader: inout WireReader) throws(WireError) {
        kemOutput = try reader.vector()
        ciphertext = try reader.vector()
    }

    /// Appends it.
    public func encode(into writer: inout WireWriter) {
        writer.vector(kemOutput)
        writer.vector(ciphertext)
    }
}
