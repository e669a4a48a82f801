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

    /// An epoch begins with its committer's GroupInfo. What was put up in the one before goes.
    mutating func beginEpoch(with info: GroupChanges.Info) throws(Missing) {
        let known = try groupInfos(of: info.room)
        drop(known, of: info.room, from: 1)
        beginGroup(with: info)
    }

    /// Another GroupInfo of the present epoch.
    mutating func add(_ info: GroupChanges.Info, to known: GroupInfosFact) {
        var known = known
        known.given.append(GivenInfo(info))
        groups.infos.set(known, of: info.room)
        changes.groups.infos.append(info)
        charge(info.account, .row(info.bytes.count))
    }

    /// A member says which key is its own; its last word counts.
    mutating func answer(_ externalPub: [UInt8], by account: AccountID, in room: RoomID) throws(Missing) {
        var known = try groupInfos(of: room)
        known.hasAnswers = true
        groups.infos.set(known, of: room)
        changes.groups.answers.append(.init(room: room, account: account, externalPub: externalPub))
    }

    /// Nobody can ask for a room's GroupInfos any more.
    mutating func dropGroupInfos(of room: RoomID) throws(Missing) {
        let known = try groupInfos(of: room)
        guard !known.given.isEmpty, let creator = try self.room(room)?.creator else { return }
        drop(known, of: room, from: 0)
        charge(creator, -.row(Limits.groupInfo))
        groups.infos.set(GroupInfosFact(), of: room)
    }

    /// - Parameter place: of the first one that goes; 0 for all.
    private mutating func drop(_ known: GroupInfosFact, of room: RoomID, from place: Int) {
        guard known.given.count > place || known.hasAnswers else { return }
        changes.groups.droppedInfos.append(.init(room: room, from: place))
        for info in known.given.dropFirst() { charge(info.account, -.row(info.bytes)) }
        changes.deletes = true
    }
}
