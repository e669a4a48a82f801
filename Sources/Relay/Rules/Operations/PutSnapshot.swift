import MildamIdentity
import MildamRelayAPI

/// Keeps a group's snapshot as it is after its last commit, though no commit asks for one: what lies before it can go. It counts
/// for whoever made that commit, or, where they are gone, for whoever made the room, or for the first of its members. Nothing happens where something has happened in the group since it was made.
struct PutSnapshot: StoreOperation {
    let room: RoomID
    let snapshot: QuietSnapshot

    var weight: Int { snapshot.bytes.count }
    var rows: Int { 2 }
    var prefetch: [FactKey] { [.room(room)] }

    func judge(_ facts: inout Facts, at now: Int64) throws(Missing) -> Result<Void, APIError> {
        guard let before = try facts.room(room), let group = before.group,
            let account = [snapshot.account, before.creator].first(where: { before.members[$0] != nil })
                ?? before.members.keys.min(),
            before.generation == snapshot.generation, before.epoch == snapshot.epoch,
            group.handshake == snapshot.handshake, group.wantsSnapshotToForget
        else { return .success(()) }
        var after = before
        after.group?.snapshot = snapshot.handshake
        after.group?.commits = 0
        facts.put(after, replacing: before)
        facts.append(
            GroupChanges.Snapshot(
                room: room,
                generation: snapshot.generation,
                epoch: snapshot.epoch,
                number: snapshot.handshake,
                account: account,
                bytes: snapshot.bytes
            )
        )
        return .success(())
    }
}

/// A group after its last commit.
struct QuietSnapshot: Sendable {
    let generation: UInt32
    let epoch: UInt64
    /// The number of that commit.
    let handshake: UInt64
    /// Who made it.
    let account: AccountID
    /// The group as ``MildamMLS/PublicGroup/snapshot`` writes it.
    let bytes: [UInt8]
}
