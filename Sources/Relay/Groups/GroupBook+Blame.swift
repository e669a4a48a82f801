import FoundationEssentials
import MildamIdentity
import MildamRelayAPI
import MildamRoomRules

/// Commits that others could not read (H9).
extension GroupBook {
    /// Remembers whose commit it was that a device could not read which comes back from outside: it names the number of that
    /// commit, and what it had under it. Where the log has something else there, nobody is named.
    ///
    /// - Parameter commit: one that counts.
    func blame(
        by commit: RoomCommit,
        of sender: Sender,
        in room: RoomID,
        _ members: RoomMembers,
        at now: UInt64
    ) throws(GroupBookError) {
        guard limitsRates, let reason = commit.commitNotProcessed,
            let named = try message(reason.number, in: room), named.kind == .commit, let id = named.id
        else { return }
        let digest = MessageDigest.of(
            generation: UInt64(named.generation),
            account: named.account,
            device: named.device,
            id: id,
            kind: MessageDigest.commit,
            body: [UInt8](named.body)
        )
        guard digest == reason.hash else { return }
        blamed.name(named.account, by: sender.account, of: members.accounts, in: room, at: now)
    }
}
