import MildamIdentity
import MildamRelayAPI
import MildamRoomRules

/// Keeps another GroupInfo of a group's present epoch, and that its account stands behind the key in it. Where there is one
/// with that key, only the latter: a retry changes nothing.
struct PutGroupInfo: StoreOperation {
    let room: RoomID
    let sender: Sender
    let info: CheckedGroupInfo

    var weight: Int { info.bytes.count }
    var rows: Int { 3 }
    var prefetch: [FactKey] { [.room(room), .groupInfos(room), .usage(sender.account)] }

    func judge(_ facts: inout Facts, at now: Int64) throws(Missing) -> Result<Void, APIError> {
        guard let found = try facts.room(room) else { return .failure(.unknownRoom) }
        guard found.group != nil else { return .failure(.noGroup) }
        guard found.members[sender.account] != nil else { return .failure(.notAMember) }
        guard info.generation == found.generation, info.epoch == found.epoch else {
            return .failure(.overtaken(in: found))
        }
        let known = try facts.groupInfos(of: room)
        if !known.given.contains(where: { $0.externalPub == info.externalPub }) {
            guard known.given.count < GroupInfoVotes.maximum else {
                return .failure(
                    APIError(.quotaExceeded, "the relay has \(GroupInfoVotes.maximum) GroupInfos of this epoch already")
                )
            }
            guard !known.given.dropFirst().contains(where: { $0.account == sender.account }) else {
                return .failure(APIError(.quotaExceeded, "the relay has a GroupInfo of this account for this epoch"))
            }
            // Where the epoch has none, nobody comes in: the first one is taken whatever there is.
            if !known.given.isEmpty,
                let refusal = try facts.refusal(of: DiskUsage.row + info.bytes.count, by: sender.account)
            {
                return .failure(refusal)
            }
            try facts.add(row(at: known.given.count), to: known)
            facts.tell(.groupInfo(room))
        }
        try facts.answer(info.externalPub, by: sender.account, in: room)
        return .success(())
    }

    private func row(at place: Int) -> GroupChanges.Info {
        GroupChanges.Info(
            room: room,
            place: place,
            generation: info.generation,
            epoch: info.epoch,
            account: sender.account,
            externalPub: info.externalPub,
            bytes: info.bytes
        )
    }
}
