import MildamContent
import MildamIdentity
import MildamMLS
import MildamRoomRules
import MildamWire

/// A room as it is stored: its state, which is small and changes with most steps; the parts of its history; its wishes, one by
/// one; who is in it; the Welcome that waits; and its groups, which a store has its own way of keeping.
extension RoomCore {
    /// The version of the state's form.
    private static let version: UInt8 = 1

    /// The group that a commit from outside leads to, while it waits for its number.
    package var joiningGroup: Group? { joining?.group }

    /// The group that is to be the next generation, while it waits for its number.
    package var renewingGroup: Group? { renewing }

    /// What is known of the group without it; `nil` where there is none.
    package var storedOutline: GroupOutline? {
        group.map { GroupOutline(of: $0, generation: generation, members: members, isOut: hasGone) } ?? outline
    }

    /// Whether who is in the room is as it was in an earlier state.
    package func hasOutline(of other: RoomCore) -> Bool {
        guard isAsleep == other.isAsleep, generation == other.generation, group?.ending == other.group?.ending,
            hasGone == other.hasGone
        else { return false }
        return group?.publicGroup.context == other.group?.publicGroup.context && outline == other.outline
    }

    /// The Welcome that waits to be opened, which is long and changes seldom; `nil` where none does.
    package var storedWelcome: [UInt8]? { waitingWelcome?.storedForm }

    /// Whether the Welcome that waits is the one of an earlier state.
    package func hasWaitingWelcome(of other: RoomCore) -> Bool { waitingWelcome == other.waitingWelcome }

    /// The parts of the history that are not as they were in an earlier state, by their numbers; empty ones are gone.
    package func storedHistory(since other: RoomCore?) -> [UInt64: [UInt8]] {
        history.changedParts(since: other?.history)
    }

    /// The state, without history, wishes, groups and the Welcome that waits: some 200 bytes, 40 for each device that has spoken, and what it is called;
    /// where it has no group, who was in it when that was known last.
    package var storedState: [UInt8] {
        var writer = WireWriter(capacity: 1024)
        writer.integer(RoomCore.version)
        let waiting = [joining?.group, renewing].compactMap { $0?.publicGroup.context.groupID }
        writer.list(waiting) { $1.encode(into: &$0) }
        standing.store(into: &writer)
        writer.integer(generation)
        history.store(into: &writer)
        writer.integer(counter)
        writer.some(trouble) { $1.store(into: &$0) }
        writer.list(counters.sorted { $0.key.lexicographicallyPrecedes($1.key) }) { writer, counted in
            writer.fixed(counted.key)
            writer.integer(counted.value)
        }
        writer.list(freshSenders.sorted { $0.lexicographicallyPrecedes($1) }) { $0.fixed($1) }
        writer.some(joining) { $1.store(into: &$0) }
        writer.some(renewing) { $1.publicGroup.context.groupID.encode(into: &$0) }
        for isSo in [isAccepted, isOutside] { writer.flag(isSo) }
        for digest in [foughtBackAs, keysUsedElsewhere] { writer.some(digest) { $0.fixed($1) } }
        // Where there is a group, that says who is in it.
        if isOutside { writer.some(roster) { $1.store(into: &$0) } }
        writer.list(leavers.sorted()) { $1.encode(into: &$0) }
        writer.some(schedule) { $1.store(into: &$0) }
        repairs.encode(into: &writer)
        recovery.store(into: &writer)
        writer.integer(lastArrival)
        writer.list(titles) { $1.encode(into: &$0) }
        writer.flag(owesTitle)
        writer.some(continued) { $1.previous.encode(into: &$0) }
        writer.some(invitedBy) { $1.encode(into: &$0) }
        writer.some(welcomedAt) { $0.integer($1) }
        writer.flag(hasRelayGoneBack)
        writer.integer(enteredAt)
        return writer.bytes
    }

    /// The names of the groups that wait for their number, in a state that was stored.
    package static func waitingGroups(inState state: [UInt8]) throws(WireError) -> [GroupID] {
        var reader = WireReader(state.span)
        return try waitingGroups(&reader)
    }

    private static func waitingGroups(_ reader: inout WireReader) throws(WireError) -> [GroupID] {
        guard try reader.integer(UInt8.self) == version else { throw .invalidValue(field: "version") }
        return try reader.list { (reader) throws(WireError) in try GroupID(from: &reader) }
    }

    /// A room as it was stored. It is asleep where it has an outline.
    ///
    /// - Parameters:
    ///   - state: ``storedState``.
    ///   - history: the parts of its history.
    ///   - intents: its wishes and what could not be said, each in their order.
    ///   - welcome: the Welcome that waits.
    ///   - waiting: the group of this name that waits for its number; asked where there is one.
    /// - Throws: `invalidValue` where one does not fit the others.
    package init(
        _ room: RoomID,
        state: [UInt8],
        history parts: [[UInt8]],
        intents: [Intent],
        outline: GroupOutline?,
        welcome: ArrivedWelcome?,
        waiting: (GroupID) -> Group?
    ) throws(WireError) {
        var reader = WireReader(state.span)
        _ = try RoomCore.waitingGroups(&reader)
        let standing = try Standing(stored: &reader)
        let generation = try reader.integer(UInt64.self)
        let history = try RunningHistory(stored: &reader, parts: parts)
        self.init(room, standing, generation: generation, history: history)
        take(stored: intents)
        self.outline = outline
        waitingWelcome = welcome
        // A request is nothing without it.
        guard standing != .requested || welcome != nil else { throw .invalidValue(field: "welcome") }
        counter = try reader.integer()
        trouble = try reader.some { (reader) throws(WireError) in try Trouble(stored: &reader) }
        let counted = try reader.list { (reader) throws(WireError) in
            (try reader.fixed(32), try reader.integer(UInt64.self))
        }
        counters = Dictionary(counted) { $1 }
        freshSenders = Set(try reader.list { (reader) throws(WireError) in try reader.fixed(32) })
        let joining = try reader.some { (reader) throws(WireError) in try StoredJoining(stored: &reader) }
        let renewing = try reader.some { (reader) throws(WireError) in try GroupID(from: &reader) }
        isAccepted = try reader.flag()
        isOutside = try reader.flag()
        foughtBackAs = try reader.some { (reader) throws(WireError) in try reader.fixed(32) }
        keysUsedElsewhere = try reader.some { (reader) throws(WireError) in try reader.fixed(32) }
        if isOutside {
            roster = try reader.some { (reader) throws(WireError) in try RoomMembers(stored: &reader) }
        }
        leavers = Set(try reader.list { (reader) throws(WireError) in try LeafIndex(from: &reader) })
        schedule = try reader.some { (reader) throws(WireError) in try UpdateSchedule(stored: &reader) }
        repairs = try RepairBudget(from: &reader)
        recovery = try RelayRecovery(stored: &reader)
        lastArrival = try reader.integer()
        titles = try reader.list { (reader) throws(WireError) in try WelcomedInfo(from: &reader) }
        owesTitle = try reader.flag()
        continued = try reader.some { (reader) throws(WireError) in try ContinuedRoom(stored: &reader) }
        invitedBy = try reader.some { (reader) throws(WireError) in try AccountID(from: &reader) }
        welcomedAt = try reader.some { (reader) throws(WireError) in try reader.integer(UInt64.self) }
        hasRelayGoneBack = try reader.flag()
        enteredAt = try reader.integer()
        try reader.finish()
        if let joining {
            guard let group = waiting(joining.groupID) else { throw .invalidValue(field: "joining") }
            self.joining = Joining(
                group: group,
                generation: joining.generation,
                message: joining.message,
                number: joining.number
            )
        }
        if let renewing {
            guard let group = waiting(renewing) else { throw .invalidValue(field: "renewing") }
            self.renewing = group
        }
    }

    /// A room of which its wishes are known, which group it had, and the number of its last entry; not its state. Where it had none,
    /// or was out of it, it may have been left: this device does not come into it before the person says so.
    package init(damaged room: RoomID, after number: UInt64, intents: [Intent], outline: GroupOutline?) {
        self.init(damaged: room, generation: outline?.generation ?? 0, number: number)
        take(stored: intents)
        self.outline = outline
        guard outline?.isEnded ?? true else { return }
        standing = .seated
        (isAccepted, trouble) = (false, nil)
    }

    /// Its wishes, and what could not be said.
    package var storedIntents: [Intent] { intents + unsaid }

    private mutating func take(stored intents: [Intent]) {
        self.intents = intents.filter { $0.failure == nil }
        unsaid = intents.filter { $0.failure != nil }
    }
}

/// A commit from outside as it is stored, with its group's name in the place of the group.
private struct StoredJoining {
    let groupID: GroupID
    let generation: UInt64
    let message: OutgoingMessage
    let number: UInt64?

    init(stored reader: inout WireReader) throws(WireError) {
        groupID = try GroupID(from: &reader)
        generation = try reader.integer()
        message = try OutgoingMessage(stored: &reader)
        number = try reader.some { (reader) throws(WireError) in try reader.integer(UInt64.self) }
    }
}

extension RoomCore.Joining {
    fileprivate func store(into writer: inout WireWriter) {
        group.publicGroup.context.groupID.encode(into: &writer)
        writer.integer(generation)
        message.store(into: &writer)
        writer.some(number) { $0.integer($1) }
    }
}

extension RoomCore.Standing {
    fileprivate init(stored reader: inout WireReader) throws(WireError) {
        switch try reader.integer(UInt8.self) {
        case 1: self = .beginning(try RoomInfo(stored: try reader.vector()))
        case 2: self = .requested
        case 3: self = .seated
        case 4: self = .invited
        case 5: self = .member
        case 6: self = .left
        case 7: self = .removed
        default: throw .invalidValue(field: "standing")
        }
    }

    fileprivate func store(into writer: inout WireWriter) {
        switch self {
        case .beginning(let info):
            writer.integer(UInt8(1))
            writer.vector(info.encoded)
        case .requested: writer.integer(UInt8(2))
        case .seated: writer.integer(UInt8(3))
        case .invited: writer.integer(UInt8(4))
        case .member: writer.integer(UInt8(5))
        case .left: writer.integer(UInt8(6))
        case .removed: writer.integer(UInt8(7))
        }
    }
}

extension RoomCore.Trouble {
    fileprivate init(stored reader: inout WireReader) throws(WireError) {
        cause = try Cause(stored: &reader)
        number = try reader.integer()
        digest = try reader.fixed(RepairReason.hashSize)
        isAnothers = try reader.flag()
        isReadable = try reader.flag()
        isCounted = try reader.flag()
    }

    fileprivate func store(into writer: inout WireWriter) {
        cause.store(into: &writer)
        writer.integer(number)
        writer.fixed(digest)
        for isSo in [isAnothers, isReadable, isCounted] { writer.flag(isSo) }
    }
}

extension ContinuedRoom {
    fileprivate init(stored reader: inout WireReader) throws(WireError) {
        let previous = try PreviousGroup(from: &reader)
        guard let continued = ContinuedRoom(previous) else { throw .invalidValue(field: "continued") }
        self = continued
    }
}
