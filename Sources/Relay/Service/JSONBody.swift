import FoundationEssentials
import MildamRelayAPI

/// Reads a request's JSON: UTF-8, an object, not nested deeply, each name once; fields that are not known are passed over.
enum JSONBody {
    /// How deeply objects and arrays may be nested.
    static let maximumDepth = 16
    /// The longest name of a field, in bytes as it is written; no name of this interface has half of it. Names are compared
    /// as Unicode has it, which takes time that grows with the square of their length.
    static let maximumName = 64
    /// The longest text with anything in it beyond ASCII, in bytes as it is written: nothing that a relay reads has any.
    static let maximumForeign = 256

    /// Reads a value.
    ///
    /// - Throws: `bad_request`, naming the field that is missing or of another type, never its value.
    static func decode<Value: Decodable>(_ type: Value.Type, from body: [UInt8]) throws(APIError) -> Value {
        try check(body)
        do {
            return try JSONDecoder().decode(type, from: Data(body))
        } catch let error as DecodingError {
            throw APIError(.badRequest, describe(error))
        } catch {
            throw notJSON
        }
    }

    private static let tooLong = APIError(.badRequest, "a name, or a text that is not ASCII, is too long")

    private static let notJSON = APIError(.badRequest, "the body is not a JSON object in UTF-8")

    /// What the decoder would pass over, or take for another encoding.
    private static func check(_ body: [UInt8]) throws(APIError) {
        guard (try? UTF8Span(validating: body.span)) != nil else { throw notJSON }
        let bytes = body.span
        var depth = 0
        var position = 0
        var names = JSONNames()
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            switch byte {
            case UInt8(ascii: "\""):
                let text = try skipText(bytes, &position)
                guard text.isPlain || text.characters.count <= maximumForeign else { throw tooLong }
                guard names.isNameNext else { continue }
                guard text.characters.count <= maximumName else { throw tooLong }
                guard names.take(text.characters, isEscaped: text.isEscaped, of: body) else {
                    throw APIError(.badRequest, "the JSON names a field twice")
                }
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                guard depth <= maximumDepth else { throw APIError(.badRequest, "the JSON is nested too deeply") }
                names.begin(object: byte == UInt8(ascii: "{"))
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                names.end()
            case UInt8(ascii: ","): names.separate()
            case 0x09, 0x0A, 0x0D, 0x20..<0x7F: break
            default: throw notJSON
            }
        }
        guard body.first(where: { $0 > 0x20 }) == UInt8(ascii: "{") else { throw notJSON }
    }

    /// A text between its quotation marks.
    private struct Text {
        var characters: Range<Int>
        /// Whether it is ASCII, and written as such.
        var isPlain = true
        /// Whether a backslash is in it.
        var isEscaped = false
    }

    /// Goes behind the text whose opening quotation mark was taken.
    private static func skipText(_ bytes: Span<UInt8>, _ position: inout Int) throws(APIError) -> Text {
        var text = Text(characters: position..<position)
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            switch byte {
            case UInt8(ascii: "\""):
                text.characters = text.characters.lowerBound..<position - 1
                return text
            case UInt8(ascii: "\\"):
                text.isEscaped = true
                if position < bytes.count, bytes[position] == UInt8(ascii: "u") { text.isPlain = false }
                position += 1
            case 0..<0x20: throw notJSON
            case 0x80...: text.isPlain = false
            default: break
            }
        }
        // No end: the reader refuses it.
        throw notJSON
    }

    private static func describe(_ error: DecodingError) -> String {
        switch error {
        case .keyNotFound(let key, let context):
            "\(path(context.codingPath + [key])) is missing"
        case .typeMismatch(_, let context):
            "\(path(context.codingPath)) is of the wrong type"
        case .valueNotFound(_, let context):
            "\(path(context.codingPath)) is null"
        case .dataCorrupted(let context):
            context.codingPath.isEmpty ? notJSON.message : "\(path(context.codingPath)) is not what it should be"
        @unknown default:
            notJSON.message
        }
    }

    /// The names on the way to a field; they are this interface's own, since unknown ones are never visited.
    private static func path(_ keys: [any CodingKey]) -> String {
        keys.map { $0.intValue.map { "\($0)" } ?? $0.stringValue }.joined(separator: ".")
    }
}
