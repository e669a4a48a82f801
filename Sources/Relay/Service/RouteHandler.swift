import MildamRelayAPI
import MildamTransport

/// A route, and what the relay does with the requests to it: who is let in, and then whatever the handler says.
struct RouteHandler: Sendable {
    let route: RouteOutline
    /// What its requests are counted by, beside ``RateRule/request``: the route's own rule first, then those that its handler
    /// looks at, which not every request meets.
    let rules: [RateRule]
    /// Whether the names in a path are what they should be.
    let check: @Sendable (String, PathMatch) throws(APIError) -> Void
    /// Answers a request.
    let run: @Sendable (RelayService, HTTPRequest, PathMatch, Answer) throws(APIError) -> Void

    /// A route that looks at everything itself: the query, who asks, and how often.
    ///
    /// - Parameter rules: what it counts its requests by.
    init<Asker, Names, Query, Body, Value>(
        unguarded route: Route<Asker, Names, Query, Body, Value>,
        also rules: [RateRule] = [],
        _ run: @escaping @Sendable (RelayService, HTTPRequest, Answer) throws(APIError) -> Void
    ) {
        self.route = route.outline
        self.rules = rules
        check = Self.check(Names.self)
        self.run = { service, request, _, reply throws(APIError) in try run(service, request, reply) }
    }

    /// A route for anybody.
    ///
    /// - Parameters:
    ///   - rule: what it is counted by, if there is anything beside ``RateRule/request``.
    ///   - others: what its handler counts it by as well.
    init<Names, Query, Body, Value>(
        _ route: Route<Anyone, Names, Query, Body, Value>,
        _ rule: RateRule? = nil,
        also others: [RateRule] = [],
        _ run: @escaping @Sendable (RelayService, Call<Void, Names, Query, Body>) throws(APIError) -> Void
    ) {
        self.route = route.outline
        rules = [rule].compactMap(\.self) + others
        check = Self.check(Names.self)
        self.run = { service, request, match, reply throws(APIError) in
            let query = try route.query.read(request.target.queryItems)
            if let rule { try service.admit(rule, request) }
            let names = try Names(request.target.path.utf8.span, match)
            try run(service, Call(sender: (), names: names, query: query, request: request, reply: reply))
        }
    }

    /// A route for those who have an account.
    ///
    /// - Parameters:
    ///   - rule: what it is counted by. Those of an account are before the query, those of an address behind it.
    ///   - others: what its handler counts it by as well.
    ///   - sender: finds out who asks.
    init<Names, Query, Body, Value>(
        _ route: Route<AccountHolder, Names, Query, Body, Value>,
        _ rule: RateRule? = nil,
        also others: [RateRule] = [],
        sender: @escaping @Sendable (RelayService, HTTPRequest) throws(APIError) -> Sender = {
            service,
            request throws(APIError) in
            try service.sender(of: request)
        },
        _ run: @escaping @Sendable (RelayService, Call<Sender, Names, Query, Body>) throws(APIError) -> Void
    ) {
        self.route = route.outline
        rules = [rule].compactMap(\.self) + others
        check = Self.check(Names.self)
        self.run = { service, request, match, reply throws(APIError) in
            let sender = try sender(service, request)
            if let rule, rule.scope == .account { try service.parts.gate.admit(rule, .account(sender.account)) }
            let query = try route.query.read(request.target.queryItems)
            if let rule, rule.scope == .address { try service.admit(rule, request) }
            let names = try Names(request.target.path.utf8.span, match)
            try run(service, Call(sender: sender, names: names, query: query, request: request, reply: reply))
        }
    }

    private static func check<Names: PathNames>(
        _ type: Names.Type
    ) -> @Sendable (String, PathMatch) throws(APIError) -> Void {
        { path, match throws(APIError) in _ = try Names(path.utf8.span, match) }
    }
}

/// A request that was let in.
struct Call<Asker: Sendable, Names: PathNames, Query: Sendable, Body: Sendable>: Sendable {
    /// Who asks; nothing where anybody may.
    let sender: Asker
    /// What the path names.
    let names: Names
    /// What the query says.
    let query: Query
    let request: HTTPRequest
    let reply: Answer
}

extension Call where Asker == Sender {
    /// Whose turn it takes.
    var turn: Turn { Turn(sender, reply) }
}
