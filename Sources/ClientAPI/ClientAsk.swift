import MildamIdentity

/// What a window asks of the client. The asks of one connection are answered one after the other.
public enum ClientAsk: Codable, Equatable, Sendable {
    /// Rooms and invitations, in the order of their ids: those after a room, ``ClientLimits/rooms`` at most.
    case rooms(after: RoomID? = nil)
    /// A room's items around a place, as many as are named before and after it.
    case openRoom(room: RoomID, at: WindowPlace, before: Int, after: Int)
    /// To say something in a room; what it answers goes to the item of that key.
    case send(room: RoomID, text: String, reply: MessageID? = nil)
    /// A new room.
    case createRoom(name: String)
    /// Somebody to be brought in.
    case invite(room: RoomID, handle: Handle)
    /// To come into a room that one is invited to.
    case accept(room: RoomID)
    /// Not to come in.
    case decline(room: RoomID)
    /// To go out of a room.
    case leave(room: RoomID)
    /// Somebody to be put out.
    case remove(room: RoomID, handle: Handle)
    /// Somebody to have a role.
    case role(room: RoomID, handle: Handle, role: MemberRole)
    /// What members may do without a role, all of it.
    case policy(room: RoomID, members: MemberPolicy)
    /// A fresh group for the room, where nothing else helps.
    case renew(room: RoomID)
    /// The room to be called otherwise.
    case rename(room: RoomID, name: String)
    /// Who is in a room.
    case members(room: RoomID)
    /// The digits that all members see, if they are in one group.
    case verify(room: RoomID)
    /// The room's history to be deleted here; for a room that one is no member of any more.
    case forget(room: RoomID)
    /// Everything up to this number is read.
    case markRead(room: RoomID, through: UInt64)
    /// How the client is.
    case status
    /// Changes from now on.
    case subscribe
    /// The client to end, as soon as what it does is done.
    case stop

    /// - Throws: `outOfRange`.
    func check() throws(ClientLineDefect) {
        switch self {
        case .openRoom(_, _, let before, let after):
            guard before >= 0, after >= 0, before <= ClientLimits.window, after <= ClientLimits.window,
                before + after <= ClientLimits.window
            else { throw .outOfRange("before") }
        case .send(_, let text, _): try ClientText.check(text, "text", 1...ClientLimits.text)
        case .createRoom(let name), .rename(_, let name): try ClientText.check(name, "name", 1...ClientLimits.name)
        case .rooms, .invite, .accept, .decline, .leave, .remove, .role, .policy, .renew, .members, .verify, .forget,
            .markRead, .status, .subscribe, .stop:
            return
        }
    }
}
