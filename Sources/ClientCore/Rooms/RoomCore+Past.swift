import MildamMLS

/// Where a device has been: nobody takes it back to an earlier epoch of a room, in which somebody may have a leaf who was put out
/// since.
extension RoomCore {
    /// Whether a Welcome leads to an epoch that this device has come to already, or to another group of its generation.
    func isPast(welcome context: GroupContext, generation: UInt64) -> Bool {
        isPast(context, generation, isAbove: true)
    }

    /// Whether a GroupInfo is of an epoch that this device has gone past, or of another group of its generation. Where the relay was
    /// put back, the room may go on from there (H41).
    func isPast(groupInfo context: GroupContext, generation: UInt64) -> Bool {
        // A device that was put out knows of an epoch above the one that its group is in.
        !hasRelayGoneBack && isPast(context, generation, isAbove: group?.ending != nil)
    }

    private func isPast(_ context: GroupContext, _ generation: UInt64, isAbove: Bool) -> Bool {
        guard generation == self.generation, let known = group?.publicGroup.context else { return false }
        guard context.groupID == known.groupID else { return true }
        return isAbove ? context.epoch <= known.epoch : context.epoch < known.epoch
    }

    /// Where a device reads no log, and has a group that nothing leads on from, the log may be of another store: it looks.
    mutating func lookAtStore(_ step: inout StepDraft) {
        guard !isFollowed, group != nil else { return }
        live.fetchingFrom = history.number
        live.acting = step.ask(.page(room, after: history.number), for: .room(room))
    }

    /// Whether the relay is in another epoch than this device: in one of another number, or in one of the same to which it came by
    /// another way, since it was put back and has lost the message that this device came in by.
    func isElsewhere(_ page: LogPage) -> Bool {
        guard let own = group?.publicGroup.context.epoch ?? outline?.epoch, own == page.epoch else { return true }
        return hasRelayGoneBack && page.lost.contains { $0.contains(enteredAt) }
    }

    /// The relay is where this device is, or this device where the relay is: what was before that is past.
    mutating func haveMet(_ page: LogPage, _ step: inout StepDraft) {
        guard !isElsewhere(page) else { return }
        hasRelayGoneBack = false
        // What was refused is no part of the room any more.
        if trouble?.cause == .ruleBroken { goOn(&step) }
    }

    /// The trouble is over: this device goes on from where it is.
    mutating func goOn(_ step: inout StepDraft) {
        trouble = nil
        step.tell(room, .troubleIsOver)
    }
}
