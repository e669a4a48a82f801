import FoundationEssentials
import MildamWire

/// What a request carries.
public struct RouteBody<Value: Sendable>: Sendable {
    /// In what form.
    public let kind: RouteContent
    /// How many bytes it may have.
    public let maximum: Int
    /// Writes it.
    public let encode: @Sendable (Value) throws -> [UInt8]
}

extension RouteBody where Value == Void {
    /// Nothing.
    static var none: RouteBody { RouteBody(kind: .none, maximum: 0) { _ in [] } }
}

extension RouteBody {
    /// A value as JSON.
    static func json(_ type: Value.Type, atMost maximum: Int = Limits.shortBody) -> RouteBody
    where Value: Encodable & SendableMetatype {
        RouteBody(kind: .json("\(type)"), maximum: maximum) { Array(try JSONEncoder().encode($0)) }
    }

    /// A form.
    ///
    /// - Parameter name: what OpenAPI calls its fields.
    static func form(_ name: String) -> RouteBody where Value == FormFields {
        RouteBody(kind: .form(name), maximum: Limits.shortBody) { Array($0.text.utf8) }
    }

    /// A structure in TLS presentation language.
    static func structure(_ type: Value.Type, atMost maximum: Int) -> RouteBody
    where Value: WireEncodable & SendableMetatype {
        RouteBody(kind: .structure("\(type)"), maximum: maximum) { $0.wireBytes }
    }

    /// Plain bytes.
    static func bytes(atMost maximum: Int) -> RouteBody where Value == [UInt8] {
        RouteBody(kind: .bytes, maximum: maximum) { $0 }
    }
}

/// What a request is answered with when it was carried out.
public struct RouteAnswer<Value: Sendable>: Sendable {
    /// In what form.
    public let kind: RouteContent
    /// The HTTP status.
    public let status: Int
    /// Reads it.
    public let decode: @Sendable ([UInt8]) throws -> Value
}

extension RouteAnswer where Value == Void {
    /// Nothing but that it is done.
    ///
    /// - Parameter status: 200 where RFC 7009 wants it.
    static func done(status: Int = 204) -> RouteAnswer { RouteAnswer(kind: .none, status: status) { _ in } }

    /// The protocol changes to WebSocket; `LiveRequest` and `LiveEvent` travel as text messages.
    static var upgrade: RouteAnswer { RouteAnswer(kind: .none, status: 101) { _ in } }
}

extension RouteAnswer where Value == [UInt8] {
    /// Plain bytes.
    static var bytes: RouteAnswer { RouteAnswer(kind: .bytes, status: 200) { $0 } }

    /// JSON that describes itself.
    static var document: RouteAnswer { RouteAnswer(kind: .document, status: 200) { $0 } }
}

extension RouteAnswer {
    /// A value as JSON, whose numbers and times are within bounds.
    static func json(_ type: Value.Type, status: Int = 200) -> RouteAnswer
    where Value: BoundedAnswer & SendableMetatype {
        RouteAnswer(kind: .json("\(type)"), status: status) {
            let value = try JSONDecoder().decode(Value.self, from: Data($0))
            guard value.isWithinBounds else { throw OutOfBounds() }
            return value
        }
    }
}

extension RouteAnswer {
    /// A structure in TLS presentation language, which reads no number that is out of bounds.
    static func structure(_ type: Value.Type) -> RouteAnswer where Value: WireDecodable & SendableMetatype {
        RouteAnswer(kind: .structure("\(type)"), status: 200) { try Value(wireBytes: $0) }
    }
}

/// The form in which something travels.
public enum RouteContent: Sendable, Equatable {
    /// Nothing does.
    case none
    /// A value as JSON, by the name of its type, which is that of its schema.
    case json(String)
    /// A form, by the name of its schema.
    case form(String)
    /// JSON of any kind.
    case document
    /// A structure in TLS presentation language, by the name of its type.
    case structure(String)
    /// Bytes that nobody looks into.
    case bytes

    /// Its media type; `nil` where nothing travels.
    public var type: String? {
        switch self {
        case .none: nil
        case .json, .document: "application/json"
        case .form: "application/x-www-form-urlencoded"
        case .structure: "application/vnd.mildam+tls"
        case .bytes: "application/octet-stream"
        }
    }
}
