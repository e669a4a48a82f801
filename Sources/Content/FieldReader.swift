import MildamWire

/// Takes the fields of a list one after the other, and refuses what has another type.
struct FieldReader {
    private var rest: ArraySlice<CBORValue>

    /// The fields of a list.
    init(_ value: CBORValue, of field: String) throws(ContentDefect) {
        guard case .array(let elements) = value else { throw .malformed(field: field) }
        rest = elements[...]
    }

    /// Whether every field was taken.
    var isAtEnd: Bool { rest.isEmpty }

    /// A field of any type.
    mutating func next(_ field: String) throws(ContentDefect) -> CBORValue {
        guard let value = rest.popFirst() else { throw .malformed(field: field) }
        return value
    }

    /// An unsigned integer that the type holds.
    mutating func integer<Value: FixedWidthInteger & UnsignedInteger>(_ field: String) throws(ContentDefect) -> Value {
        guard case .unsigned(let number) = try next(field), let value = Value(exactly: number) else {
            throw .malformed(field: field)
        }
        return value
    }

    /// Bytes.
    mutating func bytes(_ field: String) throws(ContentDefect) -> [UInt8] {
        guard case .bytes(let bytes) = try next(field) else { throw .malformed(field: field) }
        return bytes
    }

    /// A text.
    mutating func text(_ field: String) throws(ContentDefect) -> String {
        guard case .text(let text) = try next(field) else { throw .malformed(field: field) }
        return text
    }

    /// A list.
    mutating func list(_ field: String) throws(ContentDefect) -> [CBORValue] {
        guard case .array(let elements) = try next(field) else { throw .malformed(field: field) }
        return elements
    }

    /// The id of another message, or `null`.
    mutating func contentID(_ field: String) throws(ContentDefect) -> ContentID? {
        switch try next(field) {
        case .null: return nil
        case .bytes(let bytes):
            guard let id = ContentID(bytes: bytes) else { throw .malformed(field: field) }
            return id
        default: throw .malformed(field: field)
        }
    }
}
