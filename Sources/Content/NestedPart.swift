import MildamWire

/// A part of a message, which may have parts itself, four levels deep (draft-ietf-mimi-content-08, "Message Bodies").
public struct NestedPart: Hashable, Sendable {
    /// What it is for.
    public let disposition: Disposition
    /// Language tags with commas between them (RFC 5646), or nothing.
    public let language: String
    /// What is in it.
    public let content: Content

    /// What is in a part.
    public enum Content: Hashable, Sendable {
        /// Nothing: for what is taken back.
        case nothing
        /// Content of a media type.
        case single(type: String, bytes: [UInt8])
        /// Content that lies elsewhere.
        case external(ExternalPart)
        /// Two parts or more.
        case multi(PartSemantics, [NestedPart])
    }

    /// Makes a part.
    public init(_ content: Content, disposition: Disposition = .render, language: String = "") {
        self.content = content
        self.disposition = disposition
        self.language = language
    }

    /// As it is sent.
    var value: CBORValue {
        let rest: [CBORValue] =
            switch content {
            case .nothing: [.unsigned(0)]
            case .single(let type, let bytes): [.unsigned(1), .text(type), .bytes(bytes)]
            case .external(let part): [.unsigned(2)] + part.values
            case .multi(let semantics, let parts):
                [.unsigned(3), .unsigned(semantics.rawValue), .array(parts.map(\.value))]
            }
        return .array([.unsigned(UInt64(disposition.rawValue)), .text(language)] + rest)
    }
}

extension NestedPart: CustomStringConvertible, CustomReflectable {
    /// What kind of part it is, and nothing that was said.
    public var description: String {
        switch content {
        case .nothing: "NestedPart (nothing)"
        case .single(let type, let bytes): "NestedPart (\(type), \(bytes.count) bytes)"
        case .external(let part): "NestedPart (\(part))"
        case .multi(_, let parts): "NestedPart (\(parts.count) parts)"
        }
    }

    /// The same: nothing that prints what lies in it shows what was said.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension NestedPart {
    /// The part alone, in its one encoding.
    public var encoded: [UInt8] { value.encoded }

    /// Reads a part that stands alone.
    ///
    /// - Throws: a ``ContentDefect``; `malformed` for a part that a later version of the format made.
    public init(encoded bytes: [UInt8]) throws(ContentDefect) {
        var reader = PartReader()
        guard let part = try reader.part(try MimiContent.value(bytes)) else {
            throw .malformed(field: "nestedPart")
        }
        self = part
    }
}
