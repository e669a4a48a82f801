import MildamIdentity

/// What the relay says of this account's membership: who is put out does not get the commit that says so.
extension RoomCore {
    /// The relay serves the room no more: nothing is asked or sent there. What was made of it stays, for a relay that was put back
    /// says the same.
    mutating func beShutOut(_ step: inout StepDraft) {
        switch standing {
        case .beginning, .left, .removed: return
        case .requested, .seated, .invited, .member: break
        }
        let hasLeft = intents.contains { $0.wish == .leave }
        // That this device leaves is what the log has next: by that it is not invited again.
        if let next = leavingAt, next == history.number + 1 { history.skip(to: next) }
        standing = hasLeft ? .left : .removed
        outline?.end()
        isAccepted = false
        waitingWelcome = nil
        joining = nil
        trouble = nil
        live = Live()
        recovery.owe(infoOf: nil)
        group?.discardStagedCommit()
        renewing = nil
        if !hasLeft { step.tell(room, .removed) }
        for intent in intents {
            if intent.wish == .leave {
                step.tell(room, .wishIsDone(intent.id, number: nil))
            } else {
                giveUp(intent, code: "removed", &step)
            }
        }
        intents = []
    }

    /// The number that this device's leaving has; `nil` where it has none yet.
    private var leavingAt: UInt64? {
        guard let leaving = intents.first(where: { $0.wish == .leave }),
            case .staged(let message, number: let number?) = leaving.progress, message.kind == .proposal
        else { return nil }
        return number
    }

    /// The relay serves the room again: the person is asked, and what was missed is read.
    mutating func beServedAgain() {
        standing = .invited
        if let leaf = group?.ownLeaf { leavers.remove(leaf) }
        isAccepted = false
    }
}

/// An account that has left.
extension RoomCore {
    /// Whether it has left, or was put out: it may be shut out with a group that does not say so.
    var hasGone: Bool { standing == .left || standing == .removed }

    /// Whether it had a leaf: where the relay has it among the members after it has left, it was brought in again. Who
    /// never came in keeps a seat that they do not want.
    public var isLeftBehind: Bool { standing == .left && (group != nil || isAsleep) }
}

/// Leaving where this device is not in the group.
extension RoomCore {
    /// Whether the person wants out of a room that this device is not in. What the account has there is looked at first: a leaf goes
    /// as any other one does, for which the device comes in from outside (H6); a seat alone is left without a word.
    var wantsOut: Bool {
        guard standing == .seated || isInvitedToSeat else { return false }
        return isLeaving
    }

    /// Whether the person wants out.
    var isLeaving: Bool { intents.contains { $0.wish == .leave } }

    /// The account has nothing in the room that has to go.
    mutating func haveNothingToLeave(_ step: inout StepDraft) {
        guard let leaving = intents.first(where: { $0.wish == .leave }) else { return }
        leaveAtOnce(leaving.id, &step)
    }

    /// The device does not come in, and the room is not made: nobody has to hear of it. What else was wished cannot be.
    mutating func leaveAtOnce(_ id: MessageID, _ step: inout StepDraft) {
        let isBeginning = if case .beginning = standing { true } else { false }
        // Of a room that stands still nothing is left to come back to.
        if isBeginning || trouble?.cause == .ruleBroken { (group, outline, schedule) = (nil, nil, nil) }
        standing = .left
        outline?.end()
        waitingWelcome = nil
        // There is nothing to come back into.
        (trouble, joining) = (nil, nil)
        (isAccepted, isOutside) = (false, false)
        for intent in intents where intent.id != id {
            if intent.wish == .leave {
                step.tell(room, .wishIsDone(intent.id, number: nil))
            } else {
                giveUp(intent, code: "no-member", &step)
            }
        }
        intents = []
        step.tell(room, .wishIsDone(id, number: nil))
    }
}
