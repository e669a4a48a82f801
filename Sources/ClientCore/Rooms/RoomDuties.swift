import MildamIdentity
import MildamMLS

/// What is due by itself.
extension RoomCore {
    /// Wishes what is due, and wants to be woken for what will be.
    mutating func addDuties(_ step: inout StepDraft) {
        if let group, !leavers.isEmpty, !leavers.contains(group.ownLeaf) {
            planRemoval(&step)
            add(.removingLeavers, at: live.leaversDueAt ?? step.now, &step)
        }
        if !hasPresentLeaf(step) { add(.newLeaf, at: step.now, &step) }
        if let members, isHeldBack(members, step) {
            // It may be about to have another one in its place.
            let due = live.revokedDueAt ?? step.now + 10_000 + step.draw(upTo: 20_000)
            live.revokedDueAt = due
            add(.removingRevoked, at: due, &step)
        } else {
            live.revokedDueAt = nil
        }
        if let due = closedDue(step) { add(.removingClosed, at: due, &step) }
        if owesTitle {
            // Who has come in since it was said has not heard it: that is another message.
            intents.removeAll { $0.wish == .duty(.tellingTitle) && $0.hasEcho }
            owesTitle = titleSaidAgain != nil
            let due = titleDue(step)
            if owesTitle { add(.tellingTitle, at: due, &step) }
        }
        guard let schedule, let group, group.publicGroup.members.count > 1 else { return }
        add(.path, at: schedule.isDue(at: step.now) ? step.now : schedule.dueAt, &step)
    }

    private mutating func add(_ duty: Wish.Duty, at due: UInt64, _ step: inout StepDraft) {
        guard due <= step.now else {
            step.wake(at: due)
            return
        }
        guard !intents.contains(where: { $0.wish == .duty(duty) }) else { return }
        wish(.duty(duty), id: MessageID.random(from: step.randomness), step)
    }

    /// What was due in a group that is left is due to nobody; what the next one needs, comes with it.
    mutating func forgetDuties() {
        for intent in intents where intent.wish.isDuty { live.numbers[intent.id] = nil }
        intents.removeAll(where: \.wish.isDuty)
        live.pauses = live.pauses.filter { !$0.key.isDuty }
    }
}
