import MildamClientCore
import MildamContent
import MildamRoomRules

/// What is shown of a room's group.
struct GroupView {
    /// What the room is called.
    let info: RoomInfo?
    /// The epoch; `nil` where this device is in no group.
    let epoch: UInt64?
    /// The epoch's authenticator.
    let epochAuthenticator: [UInt8]?
    /// Who is in it.
    let members: RoomMembers?
}

extension GroupRooms {
    /// What is shown of a room's group. That of a room that is asleep is read once: it does not change.
    func groupView(of room: RoomCore) -> GroupView {
        if room.isAsleep, let known = asleep[room.room] { return known }
        let awake = room.isAsleep ? room.awake(with: try? stored.store.group(of: room.room)) : room
        let members = awake.members
        let view = GroupView(
            info: titles.info(of: awake, in: stored.store),
            epoch: members == nil ? nil : awake.group?.publicGroup.context.epoch,
            epochAuthenticator: awake.epochAuthenticator,
            members: members
        )
        asleep[room.room] = room.isAsleep ? view : nil
        return view
    }
}
