import FoundationEssentials
import MildamCrypto
import MildamIdentity

/// What an account says of another one that sends to it.
public enum SenderStanding: String, Codable, Sendable, CaseIterable {
    /// What it sends is for the part of known senders.
    case known
    /// What it sends is answered as ever, and not stored.
    case blocked
}

/// The body of `PUT /v1/account/standings/STANDING`, whose id the client draws. What was said of the same account under
/// another id, and of another account under this one, is over.
public struct StandingRequest: Codable, Sendable {
    /// The account that it is about.
    public var account: AccountID
    /// What is said of it.
    public var standing: SenderStanding

    /// Makes a request.
    public init(account: AccountID, standing: SenderStanding) {
        self.account = account
        self.standing = standing
    }
}

/// A standing as its owner is told of it: whom it is about, the client knows by the id.
public struct StandingEntry: Codable, Sendable, Equatable {
    /// Its id.
    public var id: StandingID
    /// What is said.
    public var standing: SenderStanding

    /// Makes an entry.
    public init(id: StandingID, standing: SenderStanding) {
        self.id = id
        self.standing = standing
    }
}

/// Standings of an account, as many as one answer holds: the answer of `GET /v1/account/standings`, which goes on behind
/// the last one with `?after=STANDING`, until there are none.
public struct StandingList: Codable, Sendable, Equatable {
    /// The standings, ascending by their ids.
    public var standings: [StandingEntry]

    /// Makes a list.
    public init(standings: [StandingEntry]) {
        self.standings = standings
    }
}

/// The body of `PUT /v1/account/links/LINK`: a link that leads past the strangers' part, once.
public struct LinkRequest: Codable, Sendable {
    /// Until when it is open, in seconds since 1970: a year from now at most.
    public var expires: Int64

    /// Makes a request.
    public init(expires: Int64) {
        self.expires = expires
    }
}

/// A link that somebody was given, shown with the change that adds the account which made it.
public struct ShownLink: Sendable, Hashable {
    /// The account that made it.
    public var account: AccountID
    /// Its secret, 32 bytes.
    public var secret: Data

    /// Makes a shown link.
    public init(account: AccountID, secret: Data) {
        self.account = account
        self.secret = secret
    }

    /// What the relay knows the link by.
    public var id: LinkID? { LinkID(secret: secret) }
}

extension Identifier where Kind == IdentifierKinds.Link {
    /// The id of a link with this secret: the first 16 bytes of its SHA-256; `nil` when the secret is not 32 bytes.
    public init?(secret: Data) {
        guard secret.count == Limits.linkSecret else { return nil }
        let digest = Array(SHA256.hash(data: secret))
        guard let id = try? Identifier(bytes: Array(digest.prefix(16))) else { return nil }
        self = id
    }
}
