import MildamIdentity

/// What a batch knows of key packages and claims.
struct GroupFacts {
    var stocks = Known<MailboxAddress, [KeyPackageEntry]>()
    var keyPackages = Known<KeyPackageName, [UInt8]>()
    var claims = Known<ClaimName, ClaimFact>()
    var claimTimes = Known<ClaimPair, [Int64]>()

    /// How many rows are known.
    var count: Int { stocks.count + keyPackages.count + claims.count + claimTimes.count }

    /// The operation, or the batch, has come to this end.
    mutating func settle(_ end: FactsEnd) {
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
    /// GroupInfos, each in the place of the one before.
    var infos: [Info] = []
    /// Rooms whose GroupInfo goes.
    var droppedInfos: [RoomID] = []
    var snapshots: [Snapshot] = []
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
        let generation: UInt32
        let epoch: UInt64
        let bytes: [UInt8]
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
