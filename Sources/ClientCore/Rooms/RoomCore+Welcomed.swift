import MildamIdentity
import MildamRoomRules

/// By whom the account came into a room: the first that a person reads there.
extension RoomCore {
    /// Shows who brought the account in, where a part of the log has the commit that this device came in by, and the account had
    /// no other device in the room. Whose commit that is, the Welcome says; where the relay says another account's, that is told
    /// (H26).
    mutating func showWelcomed(_ page: LogPage, _ step: inout StepDraft) {
        guard let number = welcomedAt else { return }
        welcomedAt = nil
        let own = step.device.account
        guard let inviter = invitedBy, inviter != own, members?.leaves(of: own).count == 1,
            let commit = page.messages.first(where: { $0.number == number }), commit.kind == .commit
        else { return }
        let isInviters = commit.account == inviter
        step.show(
            room,
            ShownEntry(isInviters ? .members(joined: [own], left: []) : .unreadable(.mislabelled), for: commit)
        )
    }
}
