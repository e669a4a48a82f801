import MildamCrypto
import MildamIdentity
import MildamRelayAPI
import MildamStorage

/// What is read of a store: what is committed, each of one moment. It refuses nobody.
protocol RelayReads: AnyObject {
    /// An account's bundle, as the JSON it was registered with; `nil` when there is no such account, or none any more.
    func bundle(of handle: Handle) throws(StorageError) -> [UInt8]?
    func bundle(of account: AccountID) throws(StorageError) -> [UInt8]?

    /// What is served in the place of an account that its owner has deleted: `Signed<AccountClosing>`; `nil` for any other.
    func closing(of account: AccountID) throws(StorageError) -> [UInt8]?

    /// What to hold a login by this handle and device against; `nil` when there is no such account.
    func login(_ handle: Handle, _ device: DeviceID) throws(StorageError) -> LoginRow?

    /// What to hold a proof of this account's owner on this device against; `nil` when there is no such account.
    func login(_ address: MailboxAddress) throws(StorageError) -> LoginRow?

    /// A session by its id alone.
    func session(_ id: SessionID) throws(StorageError) -> SessionRow?

    /// The sessions of an account, in the order of their devices' ids.
    func sessions(of account: AccountID, current: SessionID?) throws(StorageError) -> [SessionDescription]

    /// What happened to an account, the newest first.
    func auditLog(of account: AccountID) throws(StorageError) -> AuditLog

    /// Whether an account has a second factor, and how many recovery codes are left.
    func secondFactor(of account: AccountID) throws(StorageError) -> SecondFactorState

    /// A room with its members.
    func room(_ id: RoomID) throws(StorageError) -> Room?

    /// The rooms that an account is a member of and does not leave, ascending, as many as one answer holds.
    ///
    /// - Parameter start: the room after which to go on; `nil` at first.
    func rooms(of account: AccountID, after start: RoomID?) throws(StorageError) -> [Room]

    /// A member's messages of a room from a number on, as many as one answer holds.
    func messages(
        of room: RoomID,
        from number: UInt64,
        for account: AccountID
    ) throws(StorageError) -> Standing<MessagePage>

    /// A message of a room, whoever asks; `nil` where the log does not have it.
    func message(_ number: UInt64, in room: RoomID) throws(StorageError) -> RoomMessage?

    /// The last number that each other member has, by what its devices acknowledged: 0 where one has said nothing, `nil` where
    /// there is no other.
    func delivered(in room: RoomID, beside account: AccountID) throws(StorageError) -> UInt64?

    /// A device's mailbox from a number on, as many items as one answer holds; `nil` when there is no such device.
    func mailbox(_ address: MailboxAddress, from number: UInt64) throws(StorageError) -> MailboxPage?

    /// What an account says of others, ascending by id, as much as one answer holds.
    ///
    /// - Parameter start: the standing after which to go on; `nil` at first.
    func standings(of account: AccountID, after start: StandingID?) throws(StorageError) -> [StandingEntry]

    /// A room's present group, for a member; `nil` inside where the room is none.
    func group(of room: RoomID, for account: AccountID) throws(StorageError) -> Standing<PresentGroup?>

    /// The same with the GroupInfos of its epoch, if there are any; `nil` inside for a room that is no group.
    func groupState(of room: RoomID, for account: AccountID) throws(StorageError) -> Standing<RoomGroupState?>

    /// The newest snapshot of a group in an epoch or before; `nil` where the store has none any more.
    func snapshot(
        of room: RoomID,
        generation: UInt32,
        notAfter epoch: UInt64
    ) throws(StorageError) -> StoredSnapshot?

    /// The proposals and commits of a room behind a number, as many as one answer holds.
    func handshakes(of room: RoomID, after number: UInt64) throws(StorageError) -> [StoredHandshake]

    /// What a device has published, the next to be claimed first.
    func stock(of address: MailboxAddress) throws(StorageError) -> [KeyPackageEntry]

    /// What is recorded of a blob; `nil` when nothing of it was received.
    func blob(_ name: BlobName) throws(StorageError) -> KnownBlob?

    /// The same for somebody in the blob's room.
    func blob(_ name: BlobName, for account: AccountID) throws(StorageError) -> Standing<MemberBlob>

    /// Accounts by their handles, as many as one answer of the operator's holds.
    func accounts(after start: Handle?) throws(StorageError) -> [AccountSummary]

    /// An account; `nil` when there is none.
    func details(of handle: Handle) throws(StorageError) -> AccountDetails?

    /// How much there is of everything. It takes time by what there is: nobody's request is to wait for it.
    func counts() throws(StorageError) -> StoreCounts
}

/// What somebody is to a room, and what a member finds there.
enum Standing<Value> {
    case noRoom
    case stranger
    case member(Value)

    /// What a member finds, or why nobody else does.
    var result: Result<Value, APIError> {
        switch self {
        case .noRoom: .failure(.unknownRoom)
        case .stranger: .failure(.notAMember)
        case .member(let value): .success(value)
        }
    }
}

/// A blob as a member of its room finds it.
struct MemberBlob {
    /// The first number that the member can read.
    let since: UInt64
    /// `nil` when nothing of it was received.
    let blob: KnownBlob?
}

/// What a login is held against.
struct LoginRow: Sendable {
    let account: AccountID
    let verifier: SaltedVerifier
    /// The device that was named, and its key; `nil` when the account has no such device.
    let device: (id: DeviceID, key: Curve25519.Signing.PublicKey)?
}

/// What a refresh is held against.
struct SessionRow: Sendable {
    let address: MailboxAddress
    let family: RefreshFamily
    /// The device's key.
    let key: Curve25519.Signing.PublicKey
    /// The thumbprint of the key that the session is bound to; `nil` for none.
    let thumbprint: String?
}
