import MildamCrypto
import MildamIdentity
import MildamMLS
import MildamRoomRules

/// A room whose group lies in the store alone, until there is something to do for which it is needed.
extension RoomCore {
    /// Whether the room has a group that is not here.
    public var isAsleep: Bool { outline != nil }

    /// The room with its group; where its records are damaged, without one.
    public func awake(with group: Group?) -> RoomCore {
        guard isAsleep else { return self }
        var room = self
        room.outline = nil
        room.group = group
        room.readRoster()
        return room
    }

    /// The room as a client that begins has it: asleep, unless it has no group, or another one waits for its number.
    package var atBeginning: RoomCore {
        guard !isAsleep, let group, joining == nil, renewing == nil else { return self }
        var room = self
        room.group = nil
        room.aside = []
        room.readRoster()
        room.outline = GroupOutline(of: group, generation: generation, members: members, isOut: hasGone)
        return room
    }

    /// The room without its group, where nothing is to be done for which it would be needed; `nil` where something is.
    func asleep(_ step: StepDraft) -> RoomCore? {
        guard !isAsleep, live.acting == nil else { return nil }
        let room = atBeginning
        guard let outline = room.outline, !isToAct(with: outline, step) else { return nil }
        return room
    }

    /// Whether something is to be done for which the group is needed; what it is, the group says.
    func isToAct(with outline: GroupOutline, _ step: StepDraft) -> Bool {
        if case .beginning = standing { return true }
        guard intents.isEmpty, trouble == nil, leavers.isEmpty, !isOutside, standing != .seated, !owesTitle,
            recovery.owedInfo == nil
        else {
            return true
        }
        guard isFollowed, !outline.isEnded else { return false }
        let isPathDue = schedule?.isDue(at: step.now) ?? false && outline.leaves.count > 1
        return outline.ownCredential != step.credential || isPathDue
            || outline.leaves.contains { step.lists[$0.account]?.revokes($0) ?? false } || hasClosed(outline, step)
    }

    /// Whether an account that is no more has something in the group, as far as that can be said without it.
    private func hasClosed(_ outline: GroupOutline, _ step: StepDraft) -> Bool {
        guard !step.closings.isEmpty else { return false }
        return (outline.leaves.map(\.account) + outline.seats).contains { step.closings[$0] != nil }
    }

    /// Whether there is something to do for which the group is needed, and missing.
    func lacksGroup(_ step: StepDraft) -> Bool { outline.map { isToAct(with: $0, step) } ?? false }

    /// Whether a part of the log is taken in without the group: it has nothing new.
    func lacksGroup(toTake page: LogPage) -> Bool {
        guard isAsleep else { return false }
        guard page.messages.isEmpty, page.first <= history.number + 1, !isElsewhere(page) else { return true }
        return recovery.hasLacked && page.last >= history.number
    }

    /// Wants a step when there will be something to do.
    func sleepOn(_ outline: GroupOutline, _ step: inout StepDraft) {
        if isToAct(with: outline, step) {
            step.wake(at: step.now)
        } else if let schedule, isFollowed, !outline.isEnded, outline.leaves.count > 1 {
            step.wake(at: schedule.dueAt)
        }
    }

    /// How many leaves the group has, as far as is known.
    var leafCount: Int { group?.publicGroup.members.count ?? outline?.leaves.count ?? 0 }

    /// What the store has of the room does not open: the device comes back from outside (H13).
    mutating func haveDamagedRecords(_ step: inout StepDraft) {
        outline = nil
        group = nil
        if !isOutside { readRoster() }
        switch standing {
        case .seated:
            // It may be of a room that was left: the person is asked.
            if !isAccepted { step.tell(room, .invited) }
            return
        case .left, .removed, .requested: return
        case .beginning: standing = .member
        case .invited, .member: break
        }
        trouble = nil
        set(
            Trouble(
                cause: .recordsDamaged,
                number: history.number,
                digest: history.digest(of: history.number)
                    ?? [UInt8](repeating: 0, count: RepairReason.hashSize),
                isAnothers: false,
                isReadable: false
            ),
            &step
        )
    }
}
