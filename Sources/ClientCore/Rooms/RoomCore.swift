import MildamContent
import MildamCrypto
import MildamIdentity
import MildamMLS
import MildamRoomRules

/// A room as one device has it: all that is kept of it, and what is under way.
///
/// A value: a step that cannot be stored is thrown away with its copy.
public struct RoomCore: Sendable {
    /// How this account stands to the room.
    public enum Standing: Hashable, Sendable {
        /// It is being made.
        case beginning(RoomInfo)
        /// A stranger's Welcome lies here unopened; the person has not accepted.
        case requested
        /// It has a seat and no leaf.
        case seated
        /// It has a leaf; the person has not accepted.
        case invited
        /// It is a member.
        case member
        /// It has left.
        case left
        /// It was put out.
        case removed
    }

    /// Why the room cannot be gone on with, until this device has come back (H13).
    public struct Trouble: Hashable, Sendable {
        /// What happened.
        public let cause: Cause
        /// The message that it was seen by, and SHA-256 of it.
        let number: UInt64
        let digest: [UInt8]
        /// Whether it is another account's commit that is mended.
        let isAnothers: Bool
        /// Whether others' messages can still be read.
        let isReadable: Bool
        /// Whether the repair was counted.
        var isCounted = false
    }

    /// A commit from outside that waits for its number.
    struct Joining: Sendable {
        let group: Group
        let generation: UInt64
        let message: OutgoingMessage
        /// The number that the relay gave it.
        var number: UInt64?
    }

    /// What is known since the relay was reached last, and not kept.
    struct Live: Sendable {
        /// The highest number of the relay's.
        var last: UInt64 = 0
        /// Whether the relay has told of it.
        var isTold = false
        var fetching: RequestID?
        /// What had been read when that was asked.
        var fetchingFrom: UInt64 = 0
        var acting: RequestID?
        var actingFor: MessageID?
        var retryAt: UInt64 = 0
        var failures: UInt64 = 0
        /// The wishes that wait each by itself.
        var pauses: [Wish: Pause] = [:]
        /// How long this device waits before it tries again to come in from outside, since that did not succeed.
        var outsidePause: Pause?
        /// The number under which something that was made for a wish came back last, until the wish is so.
        var numbers: [MessageID: UInt64] = [:]
        var leaversDueAt: UInt64?
        var repairAt: UInt64?
        var revokedDueAt: UInt64?
        var closedDueAt: UInt64?
        var titleDueAt: UInt64?
        var isToldStopped = false
        /// Whether the room was found to be of a later version: it is looked at again with each connection.
        var isNewer = false
        /// Whether what this device had said, and is lost, is being read; and from when on it is looked at again, where it could
        /// not be read.
        var isReadingLost = false
        var lostDueAt: UInt64 = 0
        /// The numbers under which the relay has shown another message than was read, as far as that was told; and whether it was
        /// told that it shows such since it was put back.
        var toldOfOthers: Set<UInt64> = []
        var isToldOfOtherLog = false
        /// The wish of which is being read whether what the relay says was said for it was said.
        var lookingUp: MessageID?
        /// From when on what was offered to a relay that was put back is offered again; `nil` where it holds nothing of it.
        var offerDueAt: UInt64?
        /// How often in a row what was offered was not taken, and may be later.
        var refusedOffers: UInt64 = 0
        /// The epoch of which this device has put up its GroupInfo.
        var groupInfoEpoch: UInt64?
        /// The request that has it, while it is on its way; and from when on it is put up again.
        var puttingUp: RequestID?
        var infoDueAt: UInt64 = 0
    }

    /// How long a device waits at the longest before it asks again, in milliseconds.
    static let longestRetry: UInt64 = 8_000

    /// The room.
    public let room: RoomID
    /// How this account stands to it.
    public internal(set) var standing: Standing
    /// The highest generation that was seen.
    public internal(set) var generation: UInt64
    /// The group, where this device has or had a leaf, and the room is not asleep.
    public internal(set) var group: Group?
    /// What is known of the group while it lies in the store alone; `nil` where it is here, or where there is none.
    public internal(set) var outline: GroupOutline?
    /// How far the log was read.
    public internal(set) var history: RunningHistory
    /// What is wished and is not so yet, in the order in which it was wished.
    public internal(set) var intents: [Intent] = []
    /// What could not be said and was not dropped, in the order in which that became so.
    public internal(set) var unsaid: [Intent] = []
    /// How many messages of this device have their number.
    public internal(set) var counter: UInt64 = 0
    /// Why the room cannot be gone on with.
    public internal(set) var trouble: Trouble?
    /// The highest count of each device that was heard, by account ‖ device.
    var counters: [[UInt8]: UInt64] = [:]
    /// Devices that came in lately: how often they have spoken before is not known.
    var freshSenders: Set<[UInt8]> = []
    /// Who was in the room when this device could say so last.
    var roster: RoomMembers?
    var joining: Joining?
    /// The group that is to be the next generation, while it waits for its number.
    var renewing: Group?
    /// The commits of this epoch that the relay has not stored.
    var aside: [Aside] = []
    /// Whether the room is in a generation that this device has not come into.
    var isOutside = false
    /// The number of the message that this device came into its epoch by; 0 where it made the room.
    var enteredAt: UInt64 = 0
    /// Whether the relay was put back since this device came into its epoch: the room may go on from an earlier one (H41).
    var hasRelayGoneBack = false
    /// A Welcome that was not opened yet.
    var waitingWelcome: ArrivedWelcome?
    /// Whether the person wants in, where the account has a seat.
    var isAccepted = false
    /// By which credential this device has come back once because somebody else acted with its keys: SHA-256, 32 bytes.
    var foughtBackAs: [UInt8]?
    /// The credential with whose keys somebody else has acted after that: the device has to have others first. SHA-256, 32 bytes.
    var keysUsedElsewhere: [UInt8]?
    /// What was said of the room and may be what it is called; the latest last.
    var titles: [WelcomedInfo] = []
    /// Whether somebody came in who has not heard what the room is called.
    var owesTitle = false
    /// The members who leave, by the epoch's proposals.
    var leavers: Set<LeafIndex> = []
    /// The room of the first kind that this one says that it goes on from, by its creator's word: whoever has that room
    /// holds the running hash against its own (H28). Stored with the room: what was gone on with is known for good.
    public internal(set) var continued: ContinuedRoom?
    var schedule: UpdateSchedule?
    var repairs = RepairBudget()
    /// Who made the Welcome that this device came in by; `nil` where it came in from outside, or made the room.
    public internal(set) var invitedBy: AccountID?
    /// The number of the commit that this device came in by, until the log was asked for it.
    var welcomedAt: UInt64?
    var recovery: RelayRecovery
    /// The lowest number whose message all had who are here: what was said below it was said before an account came in, or may have.
    var lastArrival: UInt64 = 0
    var live = Live()

    init(_ room: RoomID, _ standing: Standing, generation: UInt64, history: RunningHistory) {
        self.room = room
        self.standing = standing
        self.generation = generation
        self.history = history
        recovery = RelayRecovery()
    }

    /// A room whose records in the store cannot be read: this device comes back into it from outside.
    ///
    /// - Parameters:
    ///   - generation: the highest that is known to have been seen.
    ///   - number: the highest that has an entry; 0 where nothing is left.
    public init(damaged room: RoomID, generation: UInt64, number: UInt64) {
        self.init(
            room,
            .member,
            generation: generation,
            history: RunningHistory(joinedAt: min(number, LogPage.highestNumber))
        )
        isAccepted = true
        trouble = Trouble(
            cause: .recordsDamaged,
            number: number,
            digest: [UInt8](repeating: 0, count: RepairReason.hashSize),
            isAnothers: false,
            isReadable: false
        )
    }

    /// The epoch's authenticator, the same for all members (H40); `nil` for who is none.
    public var epochAuthenticator: [UInt8]? {
        guard let group, group.ending == nil else { return nil }
        return group.epochAuthenticator
    }

    /// Who is in the room; `nil` where this device has no leaf.
    public var members: RoomMembers? {
        guard let group, group.ending == nil else { return nil }
        return roster
    }

    /// Whether this account goes on here with a room of the first kind, as that ended.
    public func goesOn(with older: ContinuedRoom) -> Bool {
        switch standing {
        case .beginning, .member: continued == older
        case .requested, .seated, .invited, .left, .removed: false
        }
    }

    /// The group is another one, or in another epoch: who is in it is looked at anew. The generations after the first
    /// say nothing of a room of the first kind, so what was said of one stays.
    mutating func readRoster() {
        guard let group = group?.publicGroup else {
            roster = nil
            return
        }
        if let known = roster {
            roster = try? RoomMembers(of: group, after: known)
        } else {
            roster = try? RoomMembers(of: group)
        }
        if let said = roster?.room.previous.flatMap({ ContinuedRoom($0) }) { continued = said }
    }

    /// The room has another group, which this device is not in: who is in that is remembered.
    mutating func goOutside(_ members: RoomMembers) {
        noteArrivals(since: roster, among: members)
        group = nil
        roster = members
        isOutside = true
        // The person has accepted already, and that is not void; who wants out by now has nothing to come in for.
        if isAccepted, standing == .invited, !isLeaving { standing = .member }
    }

    /// The device has other keys: what kept it out of the room is over (H14).
    mutating func haveNewKeys() {
        foughtBackAs = nil
        live.outsidePause = nil
        guard keysUsedElsewhere != nil else { return }
        keysUsedElsewhere = nil
        trouble?.isCounted = false
    }

    /// Whether the room is in another generation than the one into which the person was invited, and they have not answered: the
    /// account has a seat there, and this device comes in once they accept (H7, H9).
    package var isInvitedToSeat: Bool { standing == .invited && isOutside }

    /// Whether this device has read what the relay has.
    public var isLogRead: Bool { live.isTold && history.number >= live.last }

    /// Whether this device reads the room's log.
    var isFollowed: Bool {
        switch standing {
        case .beginning, .requested, .left, .removed: false
        case .seated: joining?.number != nil
        case .invited, .member: true
        }
    }

    /// Whether this device may come in from outside: who is out of the room does not, nor who has not answered a stranger, whatever
    /// trouble there was before.
    var mayComeIn: Bool {
        switch standing {
        case .beginning, .requested, .left, .removed: false
        case .seated, .invited, .member: true
        }
    }

    /// Changes the group, or leaves it as it is.
    ///
    /// - Throws: what `body` throws; `inactive` where there is no group.
    mutating func change<Value>(
        at step: StepDraft,
        _ body: (inout Group) throws(MLSError) -> Value
    ) throws(MLSError) -> Value {
        guard var next = group else { throw .inactive }
        next.environment = step.environment
        if let members {
            next.environment.policy = RoomPolicy(knowing: members, in: next.publicGroup.context)
        }
        let value = try body(&next)
        group = next
        return value
    }

    /// Asks again later, each time later than before.
    mutating func backOff(_ step: inout StepDraft) {
        live.failures = min(live.failures + 1, 6)
        live.retryAt = step.now + min(250 << live.failures, RoomCore.longestRetry)
        step.wake(at: live.retryAt)
    }

    /// The relay cannot be reached any more, or can be again: what was under way is asked anew.
    mutating func reconnect(_ step: StepDraft) {
        live = Live()
        if recovery.isGoingOn { recovery.begin(last: history.number) }
        let leaves = leafCount
        schedule?.connect(at: step.now, leaves: leaves, draw: step.draw(upTo:))
    }

    /// Does what is to be done next: reads the log to its end, comes back where it has to, and then acts.
    mutating func advance(_ step: inout StepDraft) {
        guard step.isConnected else { return }
        guard live.retryAt <= step.now else {
            step.wake(at: live.retryAt)
            return
        }
        if case .beginning = standing, outline == nil {
            begin(&step)
            return
        }
        if isFollowed {
            guard live.fetching == nil else { return }
            let isWaiting = recovery.readsFrom != nil || recovery.progress == .waitingForOthers
            guard isLogRead || mayNotWaitForLog, !isWaiting else {
                fetch(&step)
                return
            }
            guard !recovery.isGoingOn else { return }
        }
        if trouble == nil, !isOutside, group?.ending == nil {
            readLost(&step)
            giveGroupInfo(&step)
        }
        if let outline {
            sleepOn(outline, &step)
            return
        }
        if trouble != nil || standing == .seated || isOutside {
            guard mayComeIn else { return }
            if let trouble { tellWaiting(code: trouble.cause.code, &step) }
            comeBack(&step)
        } else if isFollowed, group?.ending == nil {
            act(&step)
        }
    }

    /// Whether a mistake is planted by which nothing waits for the end of the log.
    private var mayNotWaitForLog: Bool {
        PlantedFault.sendsBeforeReading.isPresent
            || PlantedFault.repairsDuringCatchUp.isPresent && trouble != nil
    }

    /// Asks for what the log has more.
    mutating func fetch(_ step: inout StepDraft) {
        live.fetchingFrom = history.number
        let welcomed = recovery.isGoingOn ? nil : welcomedAt
        let after = recovery.readsFrom ?? welcomed.map { $0 - min($0, 1) } ?? history.number
        live.fetching = step.ask(.page(room, after: after), for: .room(room))
    }

    /// Whether nothing is different from what was stored: such a step writes nothing.
    func isStored(as other: RoomCore) -> Bool {
        guard standing == other.standing, generation == other.generation, isAccepted == other.isAccepted else {
            return false
        }
        guard history.number == other.history.number, history.hash == other.history.hash else { return false }
        guard intents == other.intents, counter == other.counter else { return false }
        guard trouble == other.trouble, repairs == other.repairs, foughtBackAs == other.foughtBackAs else {
            return false
        }
        guard keysUsedElsewhere == other.keysUsedElsewhere else { return false }
        guard joining?.message == other.joining?.message, joining?.number == other.joining?.number else {
            return false
        }
        guard waitingWelcome == other.waitingWelcome, leavers == other.leavers, isOutside == other.isOutside else {
            return false
        }
        guard schedule == other.schedule, recovery == other.recovery, continued == other.continued else { return false }
        guard titles == other.titles, owesTitle == other.owesTitle, invitedBy == other.invitedBy else { return false }
        guard unsaid == other.unsaid, welcomedAt == other.welcomedAt, hasRelayGoneBack == other.hasRelayGoneBack else {
            return false
        }
        guard enteredAt == other.enteredAt else { return false }
        guard let group, let stored = other.group else { return group == nil && other.group == nil }
        return group.changes(since: stored).isEmpty
    }
}
