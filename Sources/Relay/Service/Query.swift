import MildamIdentity
import MildamRelayAPI
import MildamTransport

/// A request's query: every name once, none but those that the route takes.
struct Query {
    private let values: [String: String]

    /// Reads the query.
    ///
    /// - Parameter names: what the route takes.
    /// - Throws: `bad_request`.
    init(_ target: HTTPTarget, names: Set<String>) throws(APIError) {
        guard let items = target.queryItems else { throw APIError(.badRequest, "the query cannot be read") }
        var values: [String: String] = [:]
        for item in items {
            guard names.contains(item.name) else {
                throw APIError(.badRequest, "the query has a name that this route does not take")
            }
            guard values.updateValue(item.value, forKey: item.name) == nil else {
                throw APIError(.badRequest, "the query names \(item.name) twice")
            }
        }
        self.values = values
    }

    /// An identifier; `nil` when it is missing.
    ///
    /// - Throws: `bad_request` when it is none.
    func identifier<Kind: IdentifierKind>(_ name: String) throws(APIError) -> Identifier<Kind>? {
        guard let text = values[name] else { return nil }
        guard let value = try? Identifier<Kind>(text) else {
            throw APIError(.badRequest, "\(name) is not an identifier")
        }
        return value
    }

    /// A number; digits only, without a leading zero.
    ///
    /// - Throws: `bad_request` when it is missing, not a number, or out of the range.
    func number<Value: FixedWidthInteger>(
        _ name: String,
        in range: ClosedRange<Value>
    ) throws(APIError) -> Value {
        guard let text = values[name] else { throw APIError(.badRequest, "the query lacks \(name)") }
        guard !text.isEmpty, text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            text == "0" || text.utf8.first != UInt8(ascii: "0"), let value = Value(text), range.contains(value)
        else { throw APIError(.badRequest, "\(name) is not a number from \(range.lowerBound) to \(range.upperBound)") }
        return value
    }
}
