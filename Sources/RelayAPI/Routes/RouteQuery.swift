import MildamIdentity

/// What stands in a route's query: each name once, and no others.
public struct RouteQuery<Value: Sendable>: Sendable {
    /// The names, and what they may say.
    public let parameters: [QueryParameter]
    private let take: @Sendable ([String: String]) throws(APIError) -> Value
    private let texts: @Sendable (Value) -> [String?]

    private init(
        _ parameters: [QueryParameter],
        read take: @escaping @Sendable ([String: String]) throws(APIError) -> Value,
        write texts: @escaping @Sendable (Value) -> [String?]
    ) {
        self.parameters = parameters
        self.take = take
        self.texts = texts
    }

    /// Reads a query.
    ///
    /// - Parameter items: what it holds; `nil` for one that cannot be read.
    /// - Throws: ``APIError`` with `bad_request`.
    public func read(_ items: [(name: String, value: String)]?) throws(APIError) -> Value {
        guard let items else { throw APIError(.badRequest, "the query cannot be read") }
        var values: [String: String] = [:]
        for item in items {
            guard parameters.contains(where: { $0.name == item.name }) else {
                throw APIError(.badRequest, "the query has a name that this route does not take")
            }
            guard values.updateValue(item.value, forKey: item.name) == nil else {
                throw APIError(.badRequest, "the query names \(item.name) twice")
            }
        }
        return try take(values)
    }

    /// The query that says a value; `nil` when there is nothing to say.
    func text(_ value: Value) -> String? {
        let items = zip(parameters, texts(value)).compactMap { parameter, text in text.map { "\(parameter.name)=\($0)" }
        }
        return items.isEmpty ? nil : items.joined(separator: "&")
    }
}

extension RouteQuery where Value == Void {
    /// Nothing stands in it.
    static var none: RouteQuery { RouteQuery([], read: { _ in }, write: { _ in [] }) }
}

extension RouteQuery {
    /// A number that has to be there.
    static func number(_ name: String, in range: ClosedRange<Value>) -> RouteQuery where Value: FixedWidthInteger {
        let parameter = QueryParameter(name, in: range)
        return RouteQuery(
            [parameter],
            read: { values throws(APIError) in try parameter.number(values, in: range) },
            write: { ["\($0)"] }
        )
    }

    /// Two numbers that have to be there.
    static func numbers(
        _ first: String,
        in firstRange: ClosedRange<Int>,
        _ second: String,
        in secondRange: ClosedRange<Int>
    ) -> RouteQuery where Value == (Int, Int) {
        let (one, other) = (QueryParameter(first, in: firstRange), QueryParameter(second, in: secondRange))
        return RouteQuery(
            [one, other],
            read: { values throws(APIError) in
                (try one.number(values, in: firstRange), try other.number(values, in: secondRange))
            },
            write: { ["\($0.0)", "\($0.1)"] }
        )
    }

    /// An id that may be left out.
    static func identifier<Kind>(_ name: String, _ type: Identifier<Kind>.Type) -> RouteQuery
    where Value == Identifier<Kind>? {
        RouteQuery(
            [QueryParameter(name: name, range: nil)],
            read: { values throws(APIError) in
                guard let text = values[name] else { return nil }
                guard let value = try? Identifier<Kind>(text) else {
                    throw APIError(.badRequest, "\(name) is not an identifier")
                }
                return value
            },
            write: { [$0?.description] }
        )
    }
}

/// One name of a query.
public struct QueryParameter: Sendable, Equatable {
    /// The name.
    public let name: String
    /// What a number may be that has to be there; `nil` for an id, which may be left out.
    public let range: ClosedRange<UInt64>?
}

extension QueryParameter {
    fileprivate init(_ name: String, in range: ClosedRange<some FixedWidthInteger>) {
        self.init(name: name, range: UInt64(clamping: range.lowerBound)...UInt64(clamping: range.upperBound))
    }

    /// Digits only, without a leading zero.
    fileprivate func number<Value: FixedWidthInteger>(
        _ values: [String: String],
        in range: ClosedRange<Value>
    ) throws(APIError) -> Value {
        guard let text = values[name] else { throw APIError(.badRequest, "the query lacks \(name)") }
        guard !text.isEmpty, text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            text == "0" || text.utf8.first != UInt8(ascii: "0"), let value = Value(text), range.contains(value)
        else { throw APIError(.badRequest, "\(name) is not a number from \(range.lowerBound) to \(range.upperBound)") }
        return value
    }
}
