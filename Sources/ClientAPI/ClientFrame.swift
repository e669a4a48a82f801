/// What a profile's client and a window of it say to each other: one line each.
///
/// ```
/// {"hello":{"boot":"…","build":"…","profile":"default","stage":"ready","version":"0.1.0"}}
/// {"ask":{"openRoom":{"after":40,"at":{"unread":{}},"before":40,"room":"…"}},"id":7}
/// {"id":7,"ok":{"window":{…}}}
/// {"error":{"code":"no-such-room","parameters":{"room":"…"}},"id":8}
/// {"changes":[{"room":{"row":{…}}}],"rev":812}
/// {"resync":{}}
/// ```
public enum ClientFrame: Equatable, Sendable {
    /// The client greets, before anything else.
    case hello(ClientGreeting)
    /// A window asks; the number is its own, and comes back with the answer.
    case ask(id: UInt64, ClientAsk)
    /// It was done.
    case ok(id: UInt64, ClientAnswer)
    /// It was not.
    case error(id: UInt64, ClientError)
    /// What is drawn has changed; `rev` is one more than that of the line before.
    case changes(rev: UInt64, [ClientChange])
    /// Changes were left out: fetch anew what is drawn.
    case resync

    /// - Throws: `outOfRange`.
    func check() throws(ClientLineDefect) {
        switch self {
        case .hello(let hello): try hello.check()
        case .ask(_, let ask): try ask.check()
        case .ok(_, let answer): try answer.check()
        case .error(_, let error): try error.check()
        case .changes(_, let changes):
            guard changes.count <= LineLimits.changes else { throw .outOfRange("changes") }
            for change in changes { try change.check() }
        case .resync: return
        }
    }
}

extension ClientFrame: Codable {
    private enum Key: String, CodingKey {
        case hello
        case id
        case ask
        case ok
        case error
        case rev
        case changes
        case resync
    }

    private struct Nothing: Codable {}

    /// Reads a frame: the one that its fields make, and no other beside it.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: Key.self)
        switch Set(fields.allKeys) {
        case [.hello]: self = .hello(try fields.decode(ClientGreeting.self, forKey: .hello))
        case [.id, .ask]:
            self = .ask(
                id: try fields.decode(UInt64.self, forKey: .id),
                try fields.decode(ClientAsk.self, forKey: .ask)
            )
        case [.id, .ok]:
            self = .ok(
                id: try fields.decode(UInt64.self, forKey: .id),
                try fields.decode(ClientAnswer.self, forKey: .ok)
            )
        case [.id, .error]:
            self = .error(
                id: try fields.decode(UInt64.self, forKey: .id),
                try fields.decode(ClientError.self, forKey: .error)
            )
        case [.rev, .changes]:
            self = .changes(
                rev: try fields.decode(UInt64.self, forKey: .rev),
                try fields.decode([ClientChange].self, forKey: .changes)
            )
        case [.resync]:
            _ = try fields.decode(Nothing.self, forKey: .resync)
            self = .resync
        default:
            throw DecodingError.dataCorrupted(
                DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "no frame")
            )
        }
    }

    /// Writes the frame.
    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: Key.self)
        switch self {
        case .hello(let hello): try fields.encode(hello, forKey: .hello)
        case .ask(let id, let ask):
            try fields.encode(id, forKey: .id)
            try fields.encode(ask, forKey: .ask)
        case .ok(let id, let answer):
            try fields.encode(id, forKey: .id)
            try fields.encode(answer, forKey: .ok)
        case .error(let id, let error):
            try fields.encode(id, forKey: .id)
            try fields.encode(error, forKey: .error)
        case .changes(let rev, let changes):
            try fields.encode(rev, forKey: .rev)
            try fields.encode(changes, forKey: .changes)
        case .resync: try fields.encode(Nothing(), forKey: .resync)
        }
    }
}
