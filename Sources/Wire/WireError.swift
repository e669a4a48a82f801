/// Why bytes are not the structure they should be.
public enum WireError: Error, Hashable, Sendable {
    /// The bytes end before the structure does.
    case truncated
    /// Bytes follow the structure.
    case trailingBytes(count: Int)
    /// A vector's length is outside what its definition allows.
    case lengthOutOfRange(Int)
    /// A variable-size length that a shorter form would hold (RFC 9420, section 2.1.2).
    case lengthNotMinimal
    /// A value has no meaning in its field.
    case invalidValue(field: String)
    /// A character that the text encoding does not have, or a non-canonical form of it.
    case invalidText
}
