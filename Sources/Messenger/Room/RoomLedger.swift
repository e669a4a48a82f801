import FoundationEssentials
import MildamGroupKey
import MildamIdentity

/// What this device knows of a room, by what its members said. The relay's word does not enter.
///
/// Pure: it reads no clock, no store and no network.
struct RoomLedger: Codable, Sendable {
    /// How this account stands to the room.
    enum Standing: String, Codable, Sendable {
        /// Somebody invited it; the person has not joined yet.
        case invited
        /// It is a member.
        case member
        /// It left.
        case left
        /// It was put out.
        case removed
    }

    /// The room.
    let room: RoomID
    /// The room's name, as its maker gave it.
    var name: String
    /// How this account stands to it.
    var standing: Standing
    /// Who sent the invitation; `nil` in a room of one's own.
    var invitedBy: Handle?
    /// The generation of the newest key that is in use.
    var generation: UInt32
    /// Whether somebody has left since the newest key was made.
    var renewalDue: Bool
    /// The members, by the word of members.
    var members: [Member]
    /// The last message before this device's view began, and the running hash up to it; what came after it was all
    /// taken in.
    let start: RoomContent.Seen
    /// The last message taken in, and the running hash up to it.
    var seen: RoomContent.Seen
    /// The highest count seen of each sending device.
    var counters: [DeviceAddress: UInt64]
    /// The accounts whose invitation this device has seen: of them, it knows that the first count is 1.
    var newcomers: Set<AccountID>
    /// This device's own count.
    var sent: UInt64
    /// The device lists under which accounts last spoke here, those that were put out among them.
    private var lists: [AccountID: UInt64]?
    /// How many members the invitation names, where they are not kept before the person joins.
    private(set) var unkept: Int?

    /// How many members of a room that a person has not joined are kept.
    static let membersKept = 50

    /// A room that this account makes.
    ///
    /// - Parameter list: the number of its device list.
    init(creating room: RoomID, name: String, by member: Member, list: UInt64 = 1) {
        self.room = room
        self.name = name
        standing = .member
        generation = 1
        renewalDue = false
        members = [member]
        start = RoomContent.Seen(.start)
        seen = start
        counters = [:]
        newcomers = []
        sent = 0
        lists = [member.account: list]
    }

    /// A room that this account is invited to.
    init(_ invitation: RoomInvitation, by inviter: Handle) {
        room = invitation.key.room
        name = invitation.name
        standing = .invited
        invitedBy = inviter
        generation = invitation.key.generation
        renewalDue = false
        let isKept = invitation.members.count <= RoomLedger.membersKept
        members = isKept ? invitation.members : []
        unkept = isKept ? nil : invitation.members.count
        start = RoomContent.Seen(invitation.history)
        seen = start
        counters = [:]
        newcomers = []
        sent = 0
        lists = isKept ? invitation.lists : [:]
    }

    /// Takes over the members that were not kept before the person joined.
    mutating func fill(from invitation: RoomInvitation) {
        guard unkept != nil else { return }
        members = invitation.members
        lists = invitation.lists
        unkept = nil
    }

    /// The last message taken in.
    var history: HistoryPoint { HistoryPoint(number: seen.number, hash: Array(seen.hash)) }

    /// The generations that the next key may be of. Most often it is the very next one; when the relay took changes
    /// that no member believes, as many are passed over.
    var generationsAhead: Range<UInt32> {
        let bound = UInt32(Int32.max)
        return min(generation, bound - 1) + 1..<bound
    }

    /// The member that an account is.
    func member(_ account: AccountID) -> Member? { members.first { $0.account == account } }

    /// The device list below which nothing counts that an account says: the one under which it last spoke. It never goes
    /// back, so that a key which a device had before is of no use once it has spoken under another.
    func list(of account: AccountID) -> UInt64 { lists?[account] ?? 1 }

    /// The device lists of those members whose list is not the first.
    var memberLists: [AccountID: UInt64] {
        (lists ?? [:]).filter { member($0.key) != nil && $0.value > 1 }
    }

    /// - Returns: whether the account's list is a newer one than before.
    private mutating func raise(_ account: AccountID, to list: UInt64) -> Bool {
        guard list > self.list(of: account) else { return false }
        lists = (lists ?? [:]).merging([account: list]) { $1 }
        return true
    }
}

extension RoomLedger {
    /// Takes in the next message.
    ///
    /// - Parameters:
    ///   - message: what the relay served.
    ///   - stored: when the relay stored it.
    ///   - opened: the box and what was in it, its sender verified under the device list of this number; or why it did not
    ///     open.
    ///   - own: this account.
    ///   - hash: the running hash up to an earlier message, if it is known.
    /// - Returns: what to keep and show.
    mutating func accept(
        _ message: StoredMessage,
        stored: Int64,
        opened: Result<(box: MessageBox, content: RoomContent, list: UInt64), OpenFailure>,
        own: AccountID,
        hash: (UInt64) -> Data?
    ) -> RoomEntry {
        let sender = member(message.context.senderAccount)
        var entry = RoomEntry(
            number: seen.number + 1,
            account: message.context.senderAccount,
            sender: sender?.handle,
            written: stored,
            missingBefore: 0,
            outcome: .refused(reason: .notAMember),
            hash: Data()
        )
        do throws(OpenFailure) {
            guard sender != nil else { throw .notAMember }
            let (box, content, list) = try opened.get()
            // Whatever else is wrong with it, it was said under these keys.
            if raise(message.context.senderAccount, to: list) { entry.newList = list }
            let device = DeviceAddress(
                account: message.context.senderAccount,
                device: message.context.senderDevice
            )
            if let last = counters[device] ?? (sawBeginning(of: device.account) ? 0 : nil) {
                guard box.counter > last else { throw .repeated }
                entry.missingBefore = box.counter - last - 1
            }
            guard content.seen.number < entry.number else { throw .differentHistory }
            let known =
                switch content.seen.number {
                case seen.number: seen.hash
                case start.number: start.hash
                default: hash(content.seen.number)
                }
            guard known == nil || known == content.seen.hash else { throw .differentHistory }
            if case .removed(let account) = content.event { entry.removed = member(account)?.handle }
            try apply(content.event, in: message.context, own: own)
            counters[device] = box.counter
            entry.written = content.written
            entry.outcome = .accepted(event: content.event)
        } catch {
            entry.missingBefore = 0
            entry.outcome = .refused(reason: error.refusal)
        }
        seen = RoomContent.Seen(history.after(message))
        entry.hash = seen.hash
        return entry
    }

    /// Whether every message of an account since it came in was within this device's view.
    private func sawBeginning(of account: AccountID) -> Bool { start.number == 0 || newcomers.contains(account) }

    private mutating func apply(
        _ event: RoomContent.Event,
        in context: MessageContext,
        own: AccountID
    ) throws(OpenFailure) {
        let isCurrent = context.generation == generation
        // Who was invited by the envelope that came with it has its key already.
        let isBeginning = isCurrent && start.number > 0 && seen.number == start.number
        let isNext = generationsAhead.contains(context.generation) || isBeginning
        switch event {
        case .created(let name):
            guard isCurrent, seen.number == 0, RoomName.isFit(name) else { throw .misplaced }
            self.name = name
        case .text, .attachment:
            guard isCurrent, !renewalDue else { throw .misplaced }
        case .invited(let member, let list):
            guard isCurrent, !renewalDue, members.count < RoomInvitation.maximumMembers else { throw .misplaced }
            if let known = self.member(member.account) {
                // The invited device's view begins with this message: its own roster holds it already.
                guard member.account == own, member == known else { throw .misplaced }
            } else {
                guard members.allSatisfy({ $0.handle != member.handle }) else { throw .misplaced }
                members.append(member)
                _ = raise(member.account, to: min(list ?? 1, UInt64(Int64.max) - 1))
                // Who comes back begins anew: what was counted before was in an earlier generation.
                newcomers.insert(member.account)
                counters = counters.filter { $0.key.account != member.account }
            }
        case .removed(let account):
            // Whoever only the relay lists is put out there by this message, and was never a member here.
            guard isNext, account != context.senderAccount else { throw .misplaced }
            members.removeAll { $0.account == account }
            generation = context.generation
            renewalDue = false
        case .left:
            guard isCurrent else { throw .misplaced }
            members.removeAll { $0.account == context.senderAccount }
            renewalDue = true
            if context.senderAccount == own { standing = .left }
        case .renewed:
            guard isNext else { throw .misplaced }
            generation = context.generation
            renewalDue = false
        }
    }
}

/// Why a message could not be opened, or not be believed.
enum OpenFailure: Error, Sendable {
    case noKey, damaged, badSignature, senderGone, toldUnderAnotherKey, notAMember, repeated, differentHistory,
        misplaced, otherIdentity, notUnderstood

    init(_ error: GroupKeyError) {
        self =
            switch error {
            case .badSignature: .badSignature
            case .unknownContent: .notUnderstood
            case .malformed, .notForUs, .damaged, .cryptography: .damaged
            }
    }

    /// How it is kept and shown.
    var refusal: RoomEntry.Refusal {
        switch self {
        case .noKey: .noKey
        case .damaged: .damaged
        case .badSignature: .badSignature
        case .senderGone: .senderGone
        case .toldUnderAnotherKey: .toldUnderAnotherKey
        case .notAMember: .notAMember
        case .repeated: .repeated
        case .differentHistory: .differentHistory
        case .misplaced: .misplaced
        case .otherIdentity: .otherIdentity
        case .notUnderstood: .notUnderstood
        }
    }
}
