import MildamIdentity

/// Where to ask for something, and what goes there and comes back.
public struct RouteTarget<Body: Sendable, Answer: Sendable>: Sendable {
    /// The method.
    public let method: RouteMethod
    /// The path.
    public let path: String
    /// The query; `nil` when there is nothing in it.
    public let query: String?
    /// What is sent.
    public let body: RouteBody<Body>
    /// What comes back.
    public let answer: RouteAnswer<Answer>

    /// The path, and the query behind it.
    public var text: String { query.map { "\(path)?\($0)" } ?? path }
}

extension Route where Query == Void {
    /// Where to ask.
    public func at(_ names: Names) -> RouteTarget<Body, Answer> { at(names, query: ()) }
}

extension Route where Names == NoNames {
    /// Where to ask.
    public func at(query: Query) -> RouteTarget<Body, Answer> { at(NoNames(), query: query) }

    /// The path.
    public var path: String { outline.path.text }
}

extension Route where Names == NoNames, Query == Void {
    /// Where to ask.
    public func at() -> RouteTarget<Body, Answer> { at(NoNames(), query: ()) }
}
