import MildamIdentity
import MildamRelayAPI
import MildamStorage

/// What a batch of operations knows of the store, by typed keys: each is known, known to be missing, or unknown. What an
/// operation writes is seen by those that come after it in the batch, and goes to the store once it is accepted.
///
/// To ask for what is unknown throws ``Missing``, unless there is a source that can be asked at once.
struct Facts {
    /// How much anybody may have.
    let quota: RelayQuota
    /// Who is asked for what is unknown; `nil`: whoever judges loads it, and judges again.
    private let source: (any FactSource)?
    /// Why the source could not say.
    private(set) var failure: StorageError?

    var accounts = Known<AccountID, AccountFact>()
    var verifiers = Known<AccountID, SaltedVerifier>()
    var names = Known<String, AccountID>()
    var bundles = Known<AccountID, [UInt8]>()
    var devices = Known<MailboxAddress, DeviceFact>()
    var deviceLists = Known<AccountID, Set<DeviceID>>()
    var deviceOwners = Known<DeviceID, AccountID>()
    var sessions = Known<AccountID, [DeviceID: SessionFact]>()
    var sessionOwners = Known<SessionID, AccountID>()
    var factors = Known<AccountID, FactorFact>()
    var recoveryCodes = Known<AccountID, [SaltedVerifier]>()
    var audits = Known<AccountID, [AuditFact]>()
    var rooms = Known<RoomID, Room>(weighing: { $0.members.count })
    var memberships = Known<AccountID, Set<RoomID>>()
    var sends = Known<SentKey, SentFact>()
    var blobs = Known<BlobName, KnownBlob>()
    var usages = Known<AccountID, UsageFact>()
    var networks = Known<NetworkID, Int>()
    var consent = ConsentFacts()
    var groups = GroupFacts()
    /// What was found by looking through rows; for one operation.
    var found: [FactKey: Found] = [:]
    /// What a source said last of a message: it knows what was applied, so that nothing is gained by keeping it.
    private var lastSent: SentFact?

    /// What the operation under way changes.
    var changes = Changes()
    /// The message that the operation under way takes for new without having asked.
    private(set) var presumed: SentKey?
    /// The message that it took for new, and that the store has.
    private var contested: SentKey?
    /// What the batch means for those who listen.
    private(set) var notices: [LiveNotice] = []
    /// What the batch began to delete, and has more.
    private(set) var begun: [Remains] = []
    /// What the batch deleted to its end.
    private(set) var finished: [Remains] = []
    /// How much of these three is of operations that were accepted.
    private var accepted = (notices: 0, begun: 0, finished: 0)
    /// Whether what the operation under way wrote stays though it is refused.
    private(set) var keepsRefusal = false

    /// What rows that were looked through come to.
    enum Found: Sendable {
        case portion(Portion)
        case rooms([RoomID])
        case blobs([FoundBlob])
        case items(Portion, [ItemOwner: MailboxShare])
        case requests([RequestRow])
        case claims([FoundClaim])
        case number(UInt64?)
    }

    /// - Parameter source: whoever is asked at once for what is unknown.
    init(quota: RelayQuota, source: (any FactSource)? = nil) {
        self.quota = quota
        self.source = source
    }

    // MARK: What rules do beside reading and writing

    /// Tells those who listen, once it is on the disk.
    mutating func tell(_ notice: LiveNotice) { notices.append(notice) }

    /// Leaves to be deleted what has more than one step took.
    mutating func leave(_ remains: Remains) { begun.append(remains) }

    /// Nothing is left of this.
    mutating func finish(_ remains: Remains) { finished.append(remains) }

    /// What was written so far stays, though the operation is refused.
    mutating func keepRefusal() { keepsRefusal = true }

    /// Whether a message may be taken for new unasked. Nearly all are, and a store that is at hand refuses a second one; then
    /// the operation is judged again, and this says no.
    mutating func presumesNew(_ key: SentKey) -> Bool {
        guard source != nil, contested != key else { return false }
        presumed = key
        return true
    }

    // MARK: What whoever judges does

    /// Hands what the operation changes to the store. It is not copied for that.
    mutating func apply(to lane: any CommitLane) throws(StorageError) { try lane.apply(changes) }

    /// What was presumed is not so: the operation is to be judged again.
    mutating func contest() {
        contested = presumed
        undoForAnotherTry()
    }

    /// The operation is accepted, and the store has its changes.
    mutating func accept() {
        changes.clear()
        accepted = (notices.count, begun.count, finished.count)
        keepsRefusal = false
        presumed = nil
        contested = nil
        if !found.isEmpty { found.removeAll() }
        settleRows(.accepted)
        rooms.settle(.accepted)
        usages.settle(.accepted)
        if source != nil { shed() }
    }

    /// The operation is refused: nothing of what it wrote stays.
    mutating func undo() {
        undoForAnotherTry()
        contested = nil
        found.removeAll()
        if source != nil { shed() }
    }

    /// The operation will be judged again: nothing of what it wrote stays, and what it found does.
    mutating func undoForAnotherTry() {
        changes.clear()
        keepsRefusal = false
        presumed = nil
        notices.removeLast(notices.count - accepted.notices)
        begun.removeLast(begun.count - accepted.begun)
        finished.removeLast(finished.count - accepted.finished)
        settleRows(.undone)
        rooms.settle(.undone)
        usages.settle(.undone)
    }

    /// The batch is over.
    ///
    /// - Parameter keepsRooms: whether nobody else changes the store, so that rooms and accounts' usage are what they were.
    mutating func endBatch(keepingRooms keepsRooms: Bool) {
        changes.clear()
        keepsRefusal = false
        presumed = nil
        contested = nil
        found.removeAll()
        notices.removeAll(keepingCapacity: true)
        begun.removeAll()
        finished.removeAll()
        accepted = (0, 0, 0)
        failure = nil
        settleRows(.forgotten)
        if keepsRooms {
            rooms.forgetAbsent()
            usages.forgetAbsent()
        } else {
            rooms.settle(.forgotten)
            usages.settle(.forgotten)
        }
        shed()
    }

    /// What the store can say again is not kept without bound: between batches, and, where there is a source, between the
    /// operations of one.
    private mutating func shed() {
        let rows =
            accounts.count + bundles.count + devices.count + sessions.count + audits.count + networks.count
            + consent.count + groups.count
        if rows > Self.maximumKept { settleRows(.forgotten) }
        if rooms.count > Self.maximumKept || rooms.weight > Self.maximumMembers { rooms.settle(.forgotten) }
        if usages.count > Self.maximumKept { usages.settle(.forgotten) }
    }

    /// Settles all but rooms and accounts' usage.
    private mutating func settleRows(_ end: FactsEnd) {
        accounts.settle(end)
        verifiers.settle(end)
        names.settle(end)
        bundles.settle(end)
        devices.settle(end)
        deviceLists.settle(end)
        deviceOwners.settle(end)
        sessions.settle(end)
        sessionOwners.settle(end)
        factors.settle(end)
        recoveryCodes.settle(end)
        audits.settle(end)
        memberships.settle(end)
        sends.settle(end)
        blobs.settle(end)
        networks.settle(end)
        consent.settle(end)
        groups.settle(end)
    }

    /// Rooms, accounts' usage, and rows of other kinds, that are kept: the first two from batch to batch.
    private static let maximumKept = 4096
    /// Members of the rooms that are kept, at some 100 bytes each.
    static let maximumMembers = 1 << 18

    // MARK: Looking

    /// Asks the source for what is unknown.
    mutating func fetch(_ key: FactKey) throws(Missing) {
        guard let source, failure == nil else { throw Missing(key) }
        do throws(StorageError) {
            try source.load([key], into: &self)
        } catch {
            failure = error
            throw Missing(key)
        }
    }

    /// The message that a device has sent under an id.
    mutating func sent(_ key: SentKey) throws(Missing) -> SentFact? {
        if let known = sends[key] { return known }
        try fetch(.sent(key))
        if source != nil { return lastSent }
        guard let known = sends[key] else { throw Missing(.sent(key)) }
        return known
    }

    /// What the store says of a message.
    mutating func learn(_ sent: SentFact?, of key: SentKey) {
        if source == nil { sends.learn(sent, of: key) } else { lastSent = sent }
    }

    /// Whether writing a message has to be remembered: a source knows it itself.
    var remembersSends: Bool { source == nil }
}
