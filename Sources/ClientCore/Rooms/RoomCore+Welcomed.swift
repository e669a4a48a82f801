import MildamIdentity
import MildamMLS
import MildamRoomRules
import MildamWire

/// By whom the account came into a room: the first that a person reads there.
extension RoomCore {
    /// Shows who brought the account in, where a part of the log has the commit that this device came in by, and the account had
    /// no other device in the room. Whose commit that is, the Welcome says; where the relay says another account's, that is told
    /// (H26). Where the log has another message in that one's place, the relay was put back since, and the room has gone another
    /// way (H41).
    mutating func showWelcomed(_ page: LogPage, _ step: inout StepDraft) {
        guard let number = welcomedAt else { return }
        let found = page.messages.first { $0.number == number }
        // What a relay that was put back lacks is looked at once it has it.
        guard found != nil || !recovery.isGoingOn else { return }
        welcomedAt = nil
        guard let found else { return }
        guard hasComeIn(by: found) else {
            hasRelayGoneBack = true
            beInOtherEpoch(&step)
            return
        }
        let own = step.device.account
        guard let inviter = invitedBy, inviter != own, members?.leaves(of: own).count == 1, found.kind == .commit else {
            return
        }
        let isInviters = found.account == inviter
        step.show(
            room,
            ShownEntry(isInviters ? .members(joined: [own], left: []) : .unreadable(.mislabelled), for: found)
        )
    }

    /// Whether a message under the number of the commit that this device came in by is that commit. Who has gone on from there has
    /// followed what comes after it.
    private func hasComeIn(by message: NumberedMessage) -> Bool {
        guard message.number == enteredAt, let group, group.ending == nil else { return true }
        guard message.body.count <= RoomLimits.commit,
            case .publicMessage(let commit)? = try? MLSMessage(wireBytes: message.body)
        else { return false }
        return group.publicGroup.isOutcome(of: commit)
    }
}
