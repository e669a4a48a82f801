import MildamIdentity

/// What a batch knows of key packages and claims.
struct GroupFacts {
    var infos = Known<RoomID, GroupInfosFact>()
    var stocks = Known<MailboxAddress, [KeyPackageEntry]>()
    var keyPackages = Known<KeyPackageName, [UInt8]>()
    var claims = Known<ClaimName, ClaimFact>()
    var claimTimes = Known<ClaimPair, [Int64]>()

    /// How many rows are known.
    var count: Int { infos.count + stocks.count + keyPackages.count + claims.count + claimTimes.count }

    /// The operation, or the batch, has come to this end.
    mutating func settle(_ end: FactsEnd) {
        infos.settle(end)
        stocks.settle(end)
        keyPackages.settle(end)
        claims.settle(end)
        claimTimes.settle(end)
    }
}

/// A key package that a device has published, without its bytes.
struct KeyPackageEntry: Hashable, Sendable {
    /// Its KeyPackageRef.
    let reference: [UInt8]
    /// Whether it can be claimed more than once.
    let isLastResort: Bool
    /// When its time is over, in seconds since 1970.
    let notAfter: Int64
    /// Its size.
    let bytes: Int
}

/// A key package's place.
struct KeyPackageName: Hashable, Sendable {
    let address: MailboxAddress
    /// Its KeyPackageRef.
    let reference: [UInt8]
}

/// A claim's place: it is named by who claims.
struct ClaimName: Hashable, Sendable {
    let claimer: AccountID
    let id: ClaimID
}

/// What came of a claim.
struct ClaimFact: Equatable, Sendable {
    /// Whose key packages they are.
    let owner: AccountID
    /// The answer, encoded.
    let answer: [UInt8]
}

/// Who claims, and of whom.
struct ClaimPair: Hashable, Sendable {
    let claimer: AccountID
    let owner: AccountID
}

/// A claim that is forgotten.
struct FoundClaim: Equatable, Sendable {
    let name: ClaimName
    /// The size of its answer in bytes.
    let bytes: Int
}

/// What one operation changes of groups, key packages and claims.
struct GroupChanges: Sendable {
    /// Rooms' groups as they are now, in the order in which they came about.
    var states: [State] = []
    /// GroupInfos, each in the place of the one that was there.
    var infos: [Info] = []
    /// Which GroupInfos members say to be like their own.
    var answers: [InfoAnswer] = []
    /// GroupInfos that go, and all answers with them.
    var droppedInfos: [DroppedInfos] = []
    var snapshots: [Snapshot] = []
    /// Groups that others have taken the place of.
    var droppedStates: [EndedGroup] = []
    /// Rooms' snapshots that were made after a number, or before, go.
    var droppedSnapshots: [Changes.DroppedMessages] = []
    var keyPackages: [KeyPackageName: KeyPackageRow?] = [:]
    var claims: [ClaimName: ClaimRow?] = [:]

    struct State: Sendable {
        let room: RoomID
        let generation: UInt32
        let group: RoomGroup
    }

    struct Info: Sendable {
        let room: RoomID
        /// Its place in the order in which they came: the committer's has 0.
        let place: Int
        let generation: UInt32
        let epoch: UInt64
        /// Who gave it.
        let account: AccountID
        /// SHA-256 of its key for joining from outside, 32 bytes.
        let externalPub: [UInt8]
        let bytes: [UInt8]
    }

    struct InfoAnswer: Sendable {
        let room: RoomID
        let account: AccountID
        /// SHA-256 of the key that is the account's own, 32 bytes.
        let externalPub: [UInt8]
    }

    /// A room's GroupInfos of an epoch that is over, from a place on.
    struct DroppedInfos: Sendable {
        let room: RoomID
        let from: Int
    }

    /// One of a room's groups that is no more.
    struct EndedGroup: Sendable {
        let room: RoomID
        let generation: UInt32
    }

    struct Snapshot: Sendable {
        let room: RoomID
        let generation: UInt32
        let epoch: UInt64
        /// The number of the commit that it was made after.
        let number: UInt64
        /// Whom it counts for.
        let account: AccountID
        let bytes: [UInt8]
    }

    struct KeyPackageRow: Sendable {
        let isLastResort: Bool
        let notAfter: Int64
        let bytes: [UInt8]
    }

    struct ClaimRow: Sendable {
        let owner: AccountID
        /// Milliseconds since 1970.
        let stored: Int64
        let answer: [UInt8]
    }
}
