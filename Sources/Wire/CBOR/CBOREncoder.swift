/// Writes items in their one encoding (RFC 8949, section 4.2.1).
enum CBOREncoder {
    static func append(_ value: CBORValue, to writer: inout WireWriter) {
        switch value {
        case .unsigned(let number): head(.unsigned, number, &writer)
        case .negative(let number): head(.negative, number, &writer)
        case .bytes(let bytes):
            head(.bytes, UInt64(bytes.count), &writer)
            writer.fixed(bytes)
        case .text(let text): append(text, to: &writer)
        case .array(let elements):
            head(.array, UInt64(elements.count), &writer)
            for element in elements { append(element, to: &writer) }
        case .map(let map):
            head(.map, UInt64(map.entries.count), &writer)
            for entry in map.entries {
                append(entry.key, to: &writer)
                append(entry.value, to: &writer)
            }
        case .uri(let text):
            head(.tag, CBORMajorType.uriTag, &writer)
            append(text, to: &writer)
        case .bool(let flag): head(.simple, flag ? CBORMajorType.trueValue : CBORMajorType.falseValue, &writer)
        case .null: head(.simple, CBORMajorType.nullValue, &writer)
        }
    }

    private static func append(_ text: String, to writer: inout WireWriter) {
        let characters = Array(text.utf8)
        head(.text, UInt64(characters.count), &writer)
        writer.fixed(characters)
    }

    /// A major type and its argument, in as few bytes as hold it (RFC 8949, section 3).
    private static func head(_ type: CBORMajorType, _ argument: UInt64, _ writer: inout WireWriter) {
        let high = type.rawValue << 5
        switch argument {
        case ..<24: writer.integer(high | UInt8(truncatingIfNeeded: argument))
        case ...0xFF:
            writer.integer(high | 24)
            writer.integer(UInt8(truncatingIfNeeded: argument))
        case ...0xFFFF:
            writer.integer(high | 25)
            writer.integer(UInt16(truncatingIfNeeded: argument))
        case ...0xFFFF_FFFF:
            writer.integer(high | 26)
            writer.integer(UInt32(truncatingIfNeeded: argument))
        default:
            writer.integer(high | 27)
            writer.integer(argument)
        }
    }
}
