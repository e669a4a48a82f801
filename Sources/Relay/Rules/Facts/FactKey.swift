import MildamIdentity

/// Names what a rule asks of the store. Each is one look by a key; the last ten look through rows. What these find, and the one
/// before them, is known to one operation alone.
enum FactKey: Hashable, Sendable {
    /// ``AccountFact``.
    case account(AccountID)
    /// What an account's password is held against; empty once it was deleted. It is not asked for with the account: it lies
    /// behind the bundle, whose size is its owner's choice.
    case verifier(AccountID)
    /// The account that has this in its handle's place: a handle, or what stands there once the account was deleted.
    case accountNamed(String)
    /// An account's bundle, as the JSON that is served.
    case bundle(AccountID)
    /// ``DeviceFact``.
    case device(MailboxAddress)
    /// An account's devices.
    case devices(AccountID)
    /// The account that has a device of this id.
    case deviceOwner(DeviceID)
    /// An account's sessions, one for each device at most.
    case sessions(AccountID)
    /// Whose session it is.
    case session(SessionID)
    /// ``FactorFact``.
    case factor(AccountID)
    /// The recovery codes that were not used yet.
    case recoveryCodes(AccountID)
    /// The ``AuditFact``s that a new line is judged by, in the order of their numbers: the last one, and the last of each
    /// kind of failure. A log is not read for a line of it, since a stranger's guesses write to very many logs at once.
    case audit(AccountID)
    /// ``Room``, with its members.
    case room(RoomID)
    /// The rooms that an account is a member of.
    case memberships(AccountID)
    /// The message that a device has sent under an id.
    case sent(SentKey)
    /// ``KnownBlob``.
    case blob(BlobName)
    /// ``UsageFact``.
    case usage(AccountID)
    /// How many pieces the accounts of a network take.
    case network(NetworkID)
    /// ``StandingFact``.
    case standing(StandingSubject)
    /// Whom a standing is about.
    case standingName(StandingName)
    /// How much an account says of others.
    case standingCount(AccountID)
    /// The links of an account that were not used, and when they run out.
    case links(AccountID)
    /// ``SenderShare``.
    case share(ShareKey)
    /// When the invitation with this digest runs out.
    case invitation([UInt8])

    /// ``GroupInfosFact``.
    case groupInfos(RoomID)
    /// What a device has published to be claimed: ``KeyPackageEntry``.
    case stock(MailboxAddress)
    /// A key package.
    case keyPackage(KeyPackageName)
    /// ``ClaimFact``.
    case claim(ClaimName)
    /// When somebody claimed key packages of somebody, in milliseconds since 1970.
    case claimTimes(ClaimPair)

    /// The number that a room's next message gets, for a member; nothing for anybody else. The room is not read with all of its
    /// members for it.
    case end(RoomID, AccountID)

    /// A room's messages with a number below this one, and stored before a moment.
    case oldMessages(RoomID, below: UInt64, storedBefore: Int64)
    /// The items in the strangers' part of a mailbox.
    case requests(MailboxAddress)
    /// The items of a mailbox with a number below this one.
    case oldItems(MailboxAddress, below: UInt64)
    /// Rooms behind this one that have more than one message.
    case longRooms(after: [UInt8])
    /// Blobs of a room.
    case blobs(RoomID)
    /// Blobs whose last piece came before a moment: whole ones, or those that are unfinished or that no message names.
    case oldBlobs(whole: Bool, storedBefore: Int64)
    /// A room's snapshots that were made after a commit with a number below this one.
    case oldSnapshots(RoomID, below: UInt64)
    /// The lowest number that a device has acknowledged in a room.
    case lowestCursor(RoomID)
    /// The number of an account's proposal among those of a room that wait for a commit, the first of which has this number.
    case leaving(RoomID, AccountID, from: UInt64)
    /// Claims that were made before a moment.
    case oldClaims(storedBefore: Int64)
}

/// A rule asked for what is not known yet. The operation is looked at again once it is.
struct Missing: Error {
    let key: FactKey

    init(_ key: FactKey) {
        self.key = key
    }
}

/// What a message is found by that was sent before.
struct SentKey: Hashable, Sendable {
    let room: RoomID
    let device: DeviceID
    let id: MessageID
}

/// A blob's place.
struct BlobName: Hashable, Sendable {
    let room: RoomID
    let blob: BlobID
}
