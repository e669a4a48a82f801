import MildamWire

/// What a signature, a derived key or authenticated data is for: an ASCII string that starts with `mildam/1 `.
///
/// Written before the structure with a one-byte length, so that bytes made for one purpose mean nothing in another.
public struct Label: Sendable, WireEncodable {
    /// The whole text.
    public let text: String

    /// Makes `mildam/1 ` + `purpose`.
    public init(_ purpose: StaticString) {
        text = "mildam/1 \(purpose)"
    }

    /// `opaque label<1..255>`.
    public func encode(into writer: inout WireWriter) {
        writer.text(UInt8.self, text)
    }

    /// The label followed by a structure's encoding.
    public func over(_ structure: some WireEncodable) -> [UInt8] {
        var writer = WireWriter()
        encode(into: &writer)
        structure.encode(into: &writer)
        return writer.bytes
    }
}
