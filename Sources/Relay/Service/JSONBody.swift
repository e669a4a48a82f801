import FoundationEssentials
import MildamRelayAPI

/// Reads a request's JSON: UTF-8, an object, not nested deeply, each name once; fields that are not known are passed over.
enum JSONBody {
    /// How deeply objects and arrays may be nested.
    static let maximumDepth = 16

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

    private static let notJSON = APIError(.badRequest, "the body is not a JSON object in UTF-8")

    /// What the decoder would pass over, or take for another encoding.
    private static func check(_ body: [UInt8]) throws(APIError) {
        guard (try? UTF8Span(validating: body.span)) != nil else { throw notJSON }
        var depth = 0
        var names = JSONNames()
        var string: (start: Int, hasEscape: Bool)?
        var isEscaped = false
        for (place, byte) in body.enumerated() {
            if let (start, hasEscape) = string {
                switch byte {
                case _ where isEscaped: isEscaped = false
                case UInt8(ascii: "\\"):
                    isEscaped = true
                    string = (start, true)
                case UInt8(ascii: "\""):
                    string = nil
                    guard !names.isNameNext || names.take(start..<place, isEscaped: hasEscape, of: body) else {
                        throw APIError(.badRequest, "the JSON names a field twice")
                    }
                case 0..<0x20: throw notJSON
                default: break
                }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): string = (place + 1, false)
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
