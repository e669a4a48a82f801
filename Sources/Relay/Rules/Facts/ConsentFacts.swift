import MildamIdentity
import MildamRelayAPI

/// What a batch knows of who may reach whom, and of how much they have sent.
struct ConsentFacts {
    var standings = Known<StandingSubject, StandingFact>()
    var standingNames = Known<StandingName, AccountID>()
    var standingCounts = Known<AccountID, Int>()
    var links = Known<AccountID, [LinkID: Int64]>()
    var shares = Known<ShareKey, SenderShare>()
    var invitations = Known<[UInt8], Int64>()

    /// How many rows are known.
    var count: Int { standings.count + links.count + shares.count + invitations.count }

    /// The operation, or the batch, has come to this end.
    mutating func settle(_ end: FactsEnd) {
        standings.settle(end)
        standingNames.settle(end)
        standingCounts.settle(end)
        links.settle(end)
        shares.settle(end)
        invitations.settle(end)
    }
}

/// An account, and another one that it says something of.
struct StandingSubject: Hashable, Sendable {
    let owner: AccountID
    let sender: AccountID
}

/// An account, and the id that it has given to what it says.
struct StandingName: Hashable, Sendable {
    let owner: AccountID
    let id: StandingID
}

/// What an account says of another.
struct StandingFact: Equatable, Sendable {
    let id: StandingID
    let standing: SenderStanding
}

/// What one operation changes of it.
struct ConsentChanges: Sendable {
    var standings: [StandingName: StandingRow?] = [:]
    /// When the link runs out, in seconds since 1970.
    var links: [LinkName: Int64?] = [:]
    /// Accounts whose standings and links all go.
    var dropped: [AccountID] = []
    var shares: [ShareKey: SenderShare?] = [:]
    /// Items of the strangers' part that gave way.
    var evicted: [EvictedItem] = []
    /// Members that have accepted their room.
    var accepted: [Changes.Membership] = []
    /// When the invitation with this digest runs out, in seconds since 1970.
    var invitations: [[UInt8]: Int64?] = [:]
    /// Invitations that ran out before then go.
    var invitationsUntil: Int64?

    struct StandingRow: Sendable {
        let sender: AccountID
        let standing: SenderStanding
    }

    struct LinkName: Hashable, Sendable {
        let owner: AccountID
        let link: LinkID
    }

    struct EvictedItem: Sendable {
        let address: MailboxAddress
        let number: UInt64
    }
}
