import MildamIdentity
import MildamRoomRules

/// Accounts that their owners have deleted, and that still have something in a room (H29).
extension RoomCore {
    /// Those that are known to be no more, by the identity that they have here; ascending. This device's own is not among them.
    func closed(_ members: RoomMembers, _ step: StepDraft) -> [AccountID] {
        step.closings.values.filter { closing in
            closing.account != step.device.account && members.identity(of: closing.account)?.key == closing.key
        }.map(\.account).sorted()
    }

    /// When this device takes them out, unless somebody else does it first; `nil` where there are none.
    mutating func closedDue(_ step: StepDraft) -> UInt64? {
        guard !step.closings.isEmpty, let members, !closed(members, step).isEmpty else {
            live.closedDueAt = nil
            return nil
        }
        let due = live.closedDueAt ?? step.now + removalDelay(step)
        live.closedDueAt = due
        return due
    }
}
