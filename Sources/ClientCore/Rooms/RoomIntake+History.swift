import MildamIdentity
import MildamMLS
import MildamRoomRules
import MildamWire

/// Which history members have seen (H16).
extension RoomCore {
    /// A member states it, in a message or with a commit.
    mutating func compareHistory(
        _ hash: [UInt8],
        upTo number: UInt64,
        by account: AccountID,
        _ step: inout StepDraft
    ) {
        let verdict = history.state(
            hash,
            upTo: number,
            by: account,
            own: step.device.account,
            isEnough: isWordEnough(of: account, step),
            others: (members?.accounts.count ?? 1) - 1
        )
        guard history.isNews(verdict) else { return }
        switch verdict {
        case .same: break
        case .statedBy(let accounts):
            step.tell(room, .historyStatedOtherwise(by: accounts, number: number))
        case .different: step.tell(room, .trouble(.differentHistory(number: number)))
        }
    }

    /// The same, where a commit's reason states it.
    mutating func compareHistory(of commit: PublicMessage, by author: RoomLeaf?, _ step: inout StepDraft) {
        guard let author, let reason = try? CommitReason(wireBytes: commit.content.authenticatedData),
            let seen = reason.seen
        else { return }
        compareHistory(seen.hash, upTo: seen.number, by: author.account, &step)
    }

    /// Whether this device goes on from an account's word alone: its own account's, that of who brought it in, and of who has an
    /// admin's rights. Each of the others could bring in somebody who agrees; this device believes them who is in the room at all.
    /// It is given up when two others agree on something else.
    private func isWordEnough(of account: AccountID, _ step: StepDraft) -> Bool {
        account == step.device.account || account == invitedBy || members?.hasAdminsRights(account) ?? false
    }
}
