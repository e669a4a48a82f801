import MildamWire

/// Reads the parts of one message, and counts them.
///
/// They stand in one another four levels deep at most (draft-ietf-mimi-content-08, "Depth restrictions"). A message is a list, each
/// part is one, and so is what holds the parts of a part: the eight levels of ``CBORReader`` are exactly these four.
struct PartReader {
    private var count = 0

    /// The part that an item is; `nil` where a later version of the format made it.
    mutating func part(_ value: CBORValue) throws(ContentDefect) -> NestedPart? {
        count += 1
        guard count <= MimiContent.maximumParts else { throw .tooManyParts }
        var fields = try FieldReader(value, of: "nestedPart")
        let disposition = Disposition(rawValue: try fields.integer("disposition"))
        let language = try fields.text("language")
        guard let content = try content(&fields), fields.isAtEnd else { return nil }
        return NestedPart(content, disposition: disposition, language: language)
    }

    private mutating func content(_ fields: inout FieldReader) throws(ContentDefect) -> NestedPart.Content? {
        let cardinality: UInt64 = try fields.integer("cardinality")
        switch cardinality {
        case 0: return .nothing
        case 1: return .single(type: try fields.text("contentType"), bytes: try fields.bytes("content"))
        case 2: return .external(try ExternalPart(&fields))
        case 3: return try multi(&fields)
        default: return nil
        }
    }

    private mutating func multi(_ fields: inout FieldReader) throws(ContentDefect) -> NestedPart.Content? {
        let semantics = PartSemantics(rawValue: try fields.integer("partSemantics"))
        let values = try fields.list("parts")
        guard values.count >= 2 else { throw .malformed(field: "parts") }
        var parts: [NestedPart] = []
        for value in values {
            guard let part = try part(value) else { return nil }
            parts.append(part)
        }
        return semantics.map { .multi($0, parts) }
    }
}
