/// One thing that can be asked of a relay, told once: where, how, by whom, with what, and what comes back.
///
/// The relay hangs its handler on it, clients ask by it, and `openapi.json` is held against it. The routes are the values
/// of ``Routes``.
public struct Route<Asker: RouteAsker, Names: PathNames, Query: Sendable, Body: Sendable, Answer: Sendable>: Sendable {
    /// What can be said of it without its types.
    public let outline: RouteOutline
    /// What stands in its query.
    public let query: RouteQuery<Query>
    /// What its requests carry.
    public let body: RouteBody<Body>
    /// What they are answered with.
    public let answer: RouteAnswer<Answer>

    /// Describes a route.
    ///
    /// - Parameters:
    ///   - asker: whom it is for.
    ///   - path: as OpenAPI writes it.
    ///   - names: what the braces in the path stand for.
    ///   - refusals: what it may refuse with, beside what every route does.
    init(
        _ method: RouteMethod,
        _ path: String,
        _ names: Names.Type = NoNames.self,
        for asker: Asker.Type = AccountHolder.self,
        query: RouteQuery<Query> = RouteQuery<Void>.none,
        body: RouteBody<Body> = RouteBody<Void>.none,
        answer: RouteAnswer<Answer>,
        refusals: [APIErrorCode] = []
    ) {
        outline = RouteOutline(
            method: method,
            path: PathTemplate(path),
            isOpen: Asker.isAnyone,
            parameters: query.parameters,
            body: body.kind,
            maximumBody: body.maximum,
            answer: answer.kind,
            status: answer.status,
            refusals: refusals
        )
        self.query = query
        self.body = body
        self.answer = answer
    }

    /// What a path names; `nil` for one that is not this route's.
    public func names(in path: String) -> Names? {
        let bytes = path.utf8.span
        guard let match = outline.path.match(bytes, slashes: PathTemplate.slashes(bytes)) else { return nil }
        return try? Names(bytes, match)
    }

    /// Where to ask.
    public func at(_ names: Names, query: Query) -> RouteTarget<Body, Answer> {
        RouteTarget(
            method: outline.method,
            path: outline.path.filled(with: names.texts),
            query: self.query.text(query),
            body: body,
            answer: answer
        )
    }
}

/// Whom a route is for.
public protocol RouteAsker {
    /// Whether no access token is asked for.
    static var isAnyone: Bool { get }
}

/// Nobody in particular: no access token is asked for.
public enum Anyone: RouteAsker {
    /// Yes.
    public static var isAnyone: Bool { true }
}

/// A device of an account, by its access token.
public enum AccountHolder: RouteAsker {
    /// No.
    public static var isAnyone: Bool { false }
}

/// The methods of routes.
public enum RouteMethod: String, Sendable, CaseIterable {
    /// Reads.
    case get = "GET"
    /// Makes something, or has something done.
    case post = "POST"
    /// Puts something in its place.
    case put = "PUT"
    /// Ends or removes something.
    case delete = "DELETE"
}

/// A route without its types.
public struct RouteOutline: Sendable {
    /// The method.
    public let method: RouteMethod
    /// The path.
    public let path: PathTemplate
    /// Whether anybody may ask, without an access token.
    public let isOpen: Bool
    /// What stands in the query.
    public let parameters: [QueryParameter]
    /// What a request carries.
    public let body: RouteContent
    /// How many bytes of it.
    public let maximumBody: Int
    /// What it is answered with when it was carried out.
    public let answer: RouteContent
    /// The HTTP status that goes with it.
    public let status: Int
    /// What it may refuse with, beside what every route does.
    public let refusals: [APIErrorCode]
}
