import MildamWire

/// The name an account is found by: 3 to 32 of `[a-z0-9_.-]`.
public struct Handle: Hashable, Sendable, CustomStringConvertible {
    /// The text.
    public let text: String

    /// Checks the text; capitals are refused, not folded.
    public init(_ text: some StringProtocol) throws(WireError) {
        guard (3...32).contains(text.utf8.count), text.utf8.allSatisfy(Handle.isAllowed) else {
            throw .invalidValue(field: "handle")
        }
        self.text = String(text)
    }

    /// The text.
    public var description: String { text }

    private static func isAllowed(_ character: UInt8) -> Bool {
        switch character {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        case UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "-"): true
        default: false
        }
    }
}

extension Handle: WireEncodable, WireDecodable {
    /// `opaque handle<3..32>` with a one-byte length.
    public func encode(into writer: inout WireWriter) {
        writer.text(UInt8.self, text)
    }

    /// Reads and checks a handle.
    public init(from reader: inout WireReader) throws(WireError) {
        try self.init(reader.text(UInt8.self, in: 3...32))
    }
}

extension Handle: Codable {
    /// Reads and checks the text.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        do {
            try self.init(text)
        } catch {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a handle")
        }
    }

    /// Writes the text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}
