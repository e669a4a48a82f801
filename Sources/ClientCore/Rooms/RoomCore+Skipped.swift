import MildamMLS
import MildamWire

/// What a device goes past unread where it comes into a room: no message of it is left out without a word.
extension RoomCore {
    /// The log is read from a Welcome on.
    mutating func skip(toWelcomeAt number: UInt64, _ step: inout StepDraft) {
        showSkipped(before: number, &step)
        history = RunningHistory(joinedAt: number)
    }

    /// The log is read from the commit on by which a device comes in that had a seat. Who was never in the room has missed nothing.
    mutating func skip(toJoiningAt number: UInt64, _ step: inout StepDraft) {
        if history.number > 0 || joining?.replacesOwnLeaf ?? false { showSkipped(before: number, &step) }
        history = RunningHistory(joinedAt: number - 1)
    }

    /// What lies before a number and was not read is missing. How much of it was said while this device had a leaf, it cannot
    /// know: a relay that shuts it out does not show it the commit by which it went, and one that was put back may have lost that
    /// (H41), or the Welcome by which it came (H37).
    private func showSkipped(before number: UInt64, _ step: inout StepDraft) {
        guard number > history.number + 1 else { return }
        step.show(room, ShownEntry(missing: history.number + 1...number - 1, .beforeComingIn))
    }
}

extension RoomCore.Joining {
    /// Whether it takes a leaf of this device out: the only one that a commit from outside can.
    fileprivate var replacesOwnLeaf: Bool {
        guard case .publicMessage(let sent)? = try? MLSMessage(wireBytes: message.body),
            case .commit(let commit) = sent.content.body
        else { return false }
        return commit.proposals.contains { if case .proposal(.remove) = $0 { true } else { false } }
    }
}
