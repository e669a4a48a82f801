import MildamIdentity
import MildamRelayAPI

/// The GroupInfos of groups' present epochs (H10). The committer's counts for the room's creator, with as many bytes as one can
/// have, so that no commit moves what counts for whom; each other one counts for whoever gave it. An answer is not counted: it is
/// smaller than the member's own row.
extension Facts {
    mutating func groupInfos(of room: RoomID) throws(Missing) -> GroupInfosFact {
        if let known = groups.infos[room] { return known ?? GroupInfosFact() }
        return try find(.groupInfos(room)) { $0.groups.infos[room] } ?? GroupInfosFact()
    }

    /// A room begins with the GroupInfo of its first group.
    mutating func beginGroup(with info: GroupChanges.Info) {
        groups.infos.set(GroupInfosFact(info), of: info.room)
        changes.groups.infos.append(info)
    }

    /// An epoch begins with its committer's GroupInfo, or with none, where its commit is given back and nobody has it. What was
    /// put up in the one before goes.
    mutating func beginEpoch(of room: RoomID, with info: GroupChanges.Info?) throws(Missing) {
        guard let info else { return try dropGroupInfos(of: room) }
        let known = try groupInfos(of: room)
        drop(known, of: room, from: 1)
        if known.given.isEmpty { try chargeFirst(of: room) }
        beginGroup(with: info)
    }

    /// Another GroupInfo of the present epoch. Where there is none, it takes the committer's place.
    mutating func add(_ info: GroupChanges.Info, to known: GroupInfosFact) throws(Missing) {
        if known.given.isEmpty {
            try chargeFirst(of: info.room)
        } else {
            charge(info.account, .row(info.bytes.count))
        }
        var after = known
        after.given.append(GivenInfo(info))
        groups.infos.set(after, of: info.room)
        changes.groups.infos.append(info)
    }

    /// A member says which key is its own; its last word counts.
    mutating func answer(_ externalPub: [UInt8], by account: AccountID, in room: RoomID) throws(Missing) {
        var known = try groupInfos(of: room)
        known.hasAnswers = true
        groups.infos.set(known, of: room)
        changes.groups.answers.append(.init(room: room, account: account, externalPub: externalPub))
    }

    /// A room has no GroupInfos: nobody can ask for them any more, or nobody has one of the epoch yet.
    mutating func dropGroupInfos(of room: RoomID) throws(Missing) {
        let known = try groupInfos(of: room)
        guard !known.given.isEmpty, let creator = try self.room(room)?.creator else { return }
        drop(known, of: room, from: 0)
        charge(creator, -.row(Limits.groupInfo))
        groups.infos.set(GroupInfosFact(), of: room)
    }

    /// The first one counts for the room's creator, whoever gave it.
    private mutating func chargeFirst(of room: RoomID) throws(Missing) {
        guard let creator = try self.room(room)?.creator else { return }
        charge(creator, .row(Limits.groupInfo))
    }

    /// - Parameter place: of the first one that goes; 0 for all.
    private mutating func drop(_ known: GroupInfosFact, of room: RoomID, from place: Int) {
        guard known.given.count > place || known.hasAnswers else { return }
        changes.groups.droppedInfos.append(.init(room: room, from: place))
        for info in known.given.dropFirst() { charge(info.account, -.row(info.bytes)) }
        changes.deletes = true
    }
}
