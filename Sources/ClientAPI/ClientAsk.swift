import MildamIdentity

/// What a window asks of the client. The asks of one connection are answered one after the other.
public enum ClientAsk: Codable, Equatable, Sendable {
    /// Rooms and invitations, in the order of their ids: those after a room, ``LineLimits/rooms`` at most.
    case rooms(after: RoomID? = nil)
    /// A room's items around a place, as many as are named before and after it.
    case openRoom(room: RoomID, at: WindowPlace, before: Int, after: Int)
    /// The whole text of a message whose item has only the beginning of it.
    case fullText(room: RoomID, number: UInt64)
    /// The whole text of something that waits, or could not be said, whose item has only the beginning of it.
    case unsentText(room: RoomID, message: MessageID)
    /// To say something in a room; the wish that comes back is the key of its item. Where the id is given, saying it again under
    /// the same id changes nothing.
    case send(room: RoomID, text: String, id: MessageID? = nil)
    /// A new room. Where its id is given, making it again under the same id changes nothing.
    case createRoom(name: String, id: RoomID? = nil)
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
    /// Which rooms have the keys that the device has now, waited for so many seconds at most until all have: 60 or fewer.
    case keysOfRooms(seconds: Int)
    /// What is wrong with rooms.
    case troubles
    /// An examination of the profile, of its way to the relay, and of its rooms.
    case examine
    /// A room of the first kind to go on, with its name and its members.
    case continueRoom(room: RoomID)
    /// A file to be sent: what lies at an absolute path now, and what its sender says of it. The wish that comes back is
    /// the key of its item. Where the id is given, sending it again under the same id changes nothing.
    case sendFile(room: RoomID, path: String, text: String? = nil, id: MessageID? = nil)
    /// A message's file to be saved at an absolute path; in a folder, whose path ends with a slash, under its own name.
    /// Unless `replacing`, nothing that is there is touched.
    case saveFile(room: RoomID, number: UInt64, to: String, replacing: Bool)
    /// A file on its way to be given up, or one that could not be sent to be forgotten: by its wish.
    case cancelTransfer(of: MessageID)
    /// The profile for oneself: answered once the client has let it go. It is lent until ``giveBack``, or until the connection
    /// ends; what others ask for meanwhile waits.
    case lend
    /// The client to have the profile back.
    case giveBack
    /// What strangers ask, and who is blocked; after the mail was taken, or as it is here.
    case requests(isFetching: Bool)
    /// Who a request is from, looked up and verified: by its number, its handle or its room.
    case request(named: String)
    /// A request to be an invitation, its sender to be known, and the room to be joined at once or not.
    case acceptRequest(named: String, isJoining: Bool)
    /// A request to be dropped, or all of them where none is named. Nobody hears of it.
    case declineRequest(named: String? = nil)
    /// Nothing more to be heard from the account of a request, or of a contact.
    case block(named: String)
    /// The blocked accounts of a handle to be able to ask again.
    case unblock(handle: Handle)
    /// Everything that the relay has by now to be taken in, waited for so many seconds at most: 60 or fewer.
    case refresh(seconds: Int)
    /// Somebody to be looked up, at the relay and now.
    case find(handle: Handle)
    /// Nothing of a room to be here any more that the profile is not in.
    case forget(room: RoomID)
    /// The relay to be tried now, where the next attempt would come later: waited for so many seconds at most, 60 or fewer.
    /// Answered by how the client is then.
    case reach(seconds: Int)
    /// A room to be read as far as the relay has it now, waited for so many seconds at most: 60 or fewer.
    case catchUp(room: RoomID, seconds: Int)
    /// What waits to be said, in all rooms; of that, what has an id that begins so.
    case outbox(beginning: String? = nil)
    /// Something that waits not to be said: a text that nothing was sent of yet, or a file that no message tells of yet.
    case drop(room: RoomID, message: MessageID)
    /// The messages of a room that have a text in them, in any case of letters: those of a part of it that is looked through in
    /// a moment, which ends before a number, or at the room's end. The answer says from where it goes on.
    case search(room: RoomID, text: String, before: UInt64? = nil)
    /// To meet somebody, so that their invitations are no requests: they are looked up at the relay.
    case addContact(handle: Handle)
    /// To meet who made a link, if they are who the link says.
    case addContactByLink(link: String)
    /// The key that somebody has now to be believed, if it has this fingerprint: 60 digits, with or without spaces between.
    case acceptContact(handle: Handle, fingerprint: String)
    /// A link by which somebody can invite this account once without asking first, open for so many days.
    case makeLink(days: Int64)
    /// A link to be taken back, or all of them where none is named.
    case revokeLinks(number: Int64? = nil)

    /// - Throws: `outOfRange`.
    func check() throws(ClientLineDefect) {
        switch self {
        case .openRoom(_, _, let before, let after):
            guard before >= 0, after >= 0, before <= LineLimits.window, after <= LineLimits.window,
                before + after <= LineLimits.window
            else { throw .outOfRange("before") }
        case .send(_, let text, _): try ClientText.check(text, "text", 1...LineLimits.text)
        case .outcome(_, let seconds), .keysOfRooms(let seconds), .reach(let seconds), .catchUp(_, let seconds),
            .refresh(let seconds):
            guard (0...LineLimits.patience).contains(seconds) else { throw .outOfRange("seconds") }
        case .createRoom(let name, _), .rename(_, let name): try ClientText.check(name, "name", 1...LineLimits.name)
        case .sendFile(_, let path, let text, _):
            try ClientText.check(path, "path", 1...LineLimits.path)
            try ClientText.check(text, "text", 0...LineLimits.text)
        case .saveFile(_, _, let path, _): try ClientText.check(path, "to", 1...LineLimits.path)
        case .request(let text), .acceptRequest(let text, _), .block(let text):
            try ClientText.check(text, "named", 1...LineLimits.name)
        case .declineRequest(let text): try ClientText.check(text, "named", 1...LineLimits.name)
        case .search(_, let text, _): try ClientText.check(text, "text", 1...LineLimits.soughtText)
        case .addContactByLink(let link): try ClientText.check(link, "link", 1...LineLimits.link)
        case .outbox(let beginning): try ClientText.check(beginning, "beginning", 1...LineLimits.code)
        case .acceptContact(_, let text): try ClientText.check(text, "fingerprint", 1...LineLimits.name)
        case .makeLink(let days):
            guard LineLimits.linkDays.contains(days) else { throw .outOfRange("days") }
        case .rooms, .fullText, .unsentText, .invite, .accept, .decline, .leave, .remove, .role, .policy, .renew,
            .members, .verify, .markRead, .status, .subscribe, .stop, .troubles, .examine, .continueRoom,
            .cancelTransfer, .drop, .find, .forget, .lend, .giveBack, .requests, .unblock, .addContact, .revokeLinks:
            return
        }
    }
}

extension ClientAsk {
    /// The room that it is about, if it is about one.
    public var room: RoomID? {
        switch self {
        case .openRoom(let room, _, _, _), .fullText(let room, _), .send(let room, _, _), .invite(let room, _),
            .accept(let room), .decline(let room), .leave(let room), .remove(let room, _), .role(let room, _, _),
            .policy(let room, _), .renew(let room), .rename(let room, _), .members(let room), .verify(let room),
            .markRead(let room, _), .continueRoom(let room), .sendFile(let room, _, _, _), .saveFile(let room, _, _, _),
            .catchUp(let room, _), .drop(let room, _), .forget(let room), .search(let room, _, _),
            .unsentText(let room, _):
            room
        case .rooms, .createRoom, .outcome, .status, .subscribe, .stop, .keysOfRooms, .troubles, .examine,
            .cancelTransfer, .reach, .outbox, .refresh, .find, .lend, .giveBack, .requests, .request, .acceptRequest,
            .declineRequest, .block, .unblock, .addContact, .addContactByLink, .acceptContact, .makeLink, .revokeLinks:
            nil
        }
    }
}
