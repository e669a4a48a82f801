import MildamWire

/// Why bytes are no message content. What a later version says is no defect: it is ``ContentKind/newer``.
public enum ContentDefect: Error, Hashable, Sendable {
    /// They are not the deterministic CBOR that content is.
    case notCBOR(CBORDefect)
    /// They are more than 192 KiB.
    case tooLong(Int)
    /// There are more than 1,024 parts.
    case tooManyParts
    /// A field is missing, or is not what the format has there.
    case malformed(field: String)
}

extension ContentDefect: CustomStringConvertible {
    /// What is wrong, in a few words, without anything that was said.
    public var description: String {
        switch self {
        case .notCBOR(let defect): "its encoding is malformed: \(defect)"
        case .tooLong(let count): "it is \(count) bytes long; \(MimiContent.maximumSize) are allowed"
        case .tooManyParts: "it has more than \(MimiContent.maximumParts) parts"
        case .malformed(let field): "its field \"\(field)\" is missing or malformed"
        }
    }
}
