import MildamIdentity

/// What a window asks of the client. The asks of one connection are answered one after the other.
public enum ClientAsk: Codable, Equatable, Sendable {
    /// Rooms and invitations, in the order of their ids: those after a room, ``LineLimits/rooms`` at most.
    case rooms(after: RoomID? = nil)
    /// A room's items around a place, as many as are named before and after it.
    case openRoom(room: RoomID, at: WindowPlace, before: Int, after: Int)
    /// The whole text of a message whose item has only the beginning of it.
    case fullText(room: RoomID, number: UInt64)
    /// To say something in a room; the wish that comes back is the key of its item.
    case send(room: RoomID, text: String)
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
    /// Everything up to this number is read.
    case markRead(room: RoomID, through: UInt64)
    /// What came of a wish, waited for so many seconds at most: 60 or fewer.
    case outcome(of: MessageID, seconds: Int)
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
            guard before >= 0, after >= 0, before <= LineLimits.window, after <= LineLimits.window,
                before + after <= LineLimits.window
            else { throw .outOfRange("before") }
        case .send(_, let text): try ClientText.check(text, "text", 1...LineLimits.text)
        case .outcome(_, let seconds):
            guard (0...LineLimits.patience).contains(seconds) else { throw .outOfRange("seconds") }
        case .createRoom(let name), .rename(_, let name): try ClientText.check(name, "name", 1...LineLimits.name)
        case .rooms, .fullText, .invite, .accept, .decline, .leave, .remove, .role, .policy, .renew, .members, .verify,
            .markRead, .status, .subscribe, .stop:
            return
        }
    }
}

extension ClientAsk {
    /// The room that it is about, if it is about one.
    public var room: RoomID? {
        switch self {
        case .openRoom(let room, _, _, _), .fullText(let room, _), .send(let room, _), .invite(let room, _),
            .accept(let room), .decline(let room), .leave(let room), .remove(let room, _), .role(let room, _, _),
            .policy(let room, _), .renew(let room), .rename(let room, _), .members(let room), .verify(let room),
            .markRead(let room, _):
            room
        case .rooms, .createRoom, .outcome, .status, .subscribe, .stop: nil
        }
    }
}
