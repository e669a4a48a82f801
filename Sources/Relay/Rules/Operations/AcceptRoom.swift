import MildamIdentity
import MildamRelayAPI

/// Notes that a member has accepted its room: what comes with the room's changes is from known senders.
struct AcceptRoom: StoreOperation {
    let room: RoomID
    let sender: Sender

    var prefetch: [FactKey] { [.room(room)] }

    func judge(_ facts: inout Facts, at now: Int64) throws(Missing) -> Result<Void, APIError> {
        guard let before = try facts.room(room) else { return .failure(.unknownRoom) }
        guard before.members[sender.account] != nil else { return .failure(.notAMember) }
        guard !before.accepted.contains(sender.account) else { return .success(()) }
        var after = before
        after.accepted.insert(sender.account)
        facts.put(after, replacing: before)
        return .success(())
    }
}
