import MildamIdentity
import MildamMLS

/// Snapshots that no commit asks for.
extension GroupBook {
    /// The room's group after its last commit; `nil` where somebody waits to be let go.
    ///
    /// - Parameter account: a member.
    func quietSnapshot(of room: RoomID, for account: AccountID) throws(GroupBookError) -> QuietSnapshot? {
        let stored = try present(room, for: account)
        guard stored.group.wantsSnapshotToForget else { return nil }
        let state = try follow(room, stored)
        let last = stored.group.handshake
        guard let commit = try handshakes(of: room, after: last - 1, upTo: last).first else { throw .damaged }
        return QuietSnapshot(
            generation: stored.generation,
            epoch: stored.epoch,
            handshake: last,
            account: commit.account,
            bytes: state.group.snapshot
        )
    }
}
