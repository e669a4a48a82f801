import MildamRelayAPI
import MildamTransport

/// Every route of the relay, by its path.
enum RouteTable {
    /// Every route with its handler, in the order in which paths are counted and methods are named.
    static let handlers =
        RouteHandler.accounts + RouteHandler.tokens + RouteHandler.sessions + RouteHandler.owner
        + RouteHandler.secondFactor + RouteHandler.consent + RouteHandler.rooms + RouteHandler.groups
        + RouteHandler.blobs

    /// Every path.
    static let places: [RoutePlace] = {
        var paths: [PathTemplate] = []
        for handler in handlers where !paths.contains(handler.route.path) { paths.append(handler.route.path) }
        return paths.enumerated().map { index, path in
            RoutePlace(index: index, path: path, handlers: handlers.filter { $0.route.path == path })
        }
    }()

    /// The same, words before names: "{" comes after every letter.
    private static let searched = places.sorted { $0.path.text < $1.path.text }

    /// Finds a path.
    ///
    /// - Throws: `unknown_route`, or `bad_request` when the path is a route's but an id or handle in it is none.
    static func find(_ path: String) throws(APIError) -> (place: RoutePlace, match: PathMatch) {
        let bytes = path.utf8.span
        let slashes = PathTemplate.slashes(bytes)
        for place in searched {
            guard let match = place.path.match(bytes, slashes: slashes) else { continue }
            try place.check(path, match)
            return (place, match)
        }
        throw APIError(.unknownRoute, "there is no such route")
    }
}

/// The routes of one path.
final class RoutePlace: Sendable {
    /// Its number among all paths.
    let index: Int
    let path: PathTemplate
    /// The longest body that one of its routes takes, in bytes. A method that the path does not take is refused later.
    let maximumBody: Int
    private let handlers: [(method: HTTPMethod, handler: RouteHandler)]

    init(index: Int, path: PathTemplate, handlers: [RouteHandler]) {
        self.index = index
        self.path = path
        self.handlers = handlers.compactMap { handler in
            HTTPMethod(rawValue: handler.route.method.rawValue).map { ($0, handler) }
        }
        maximumBody = handlers.reduce(0) { max($0, $1.route.maximumBody) }
    }

    /// What it can be asked with.
    var methods: [HTTPMethod] { handlers.map(\.method) }

    /// The handler of a method; `nil` for one that the path does not take.
    func handler(of method: HTTPMethod) -> RouteHandler? {
        handlers.first { $0.method == method }?.handler
    }

    /// Whether the names in a path are what they should be: those of all its routes are the same.
    func check(_ path: String, _ match: PathMatch) throws(APIError) {
        if let first = handlers.first { try first.handler.check(path, match) }
    }
}
