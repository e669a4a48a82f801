import MildamClientAPI
import MildamIdentity

/// Something that `mildam watch --json` tells: a line each, by its kind.
struct WatchEvent: Encodable {
    /// What it is. The list is closed: a program that meets another kind passes it over.
    enum Kind: String, Encodable, CaseIterable {
        /// Something was said, or could not be read.
        case message
        /// Members, or devices of theirs, came into a room or went.
        case members
        /// A room is called otherwise.
        case renamed
        /// A room has a fresh group.
        case renewed
        /// What members may do is otherwise, or who has which role.
        case settings
        /// Something else happened in a room.
        case change
        /// This account stands otherwise to a room: invited, in it, put out.
        case standing
        /// Something is wrong with a room, or was.
        case trouble
        /// Nothing is wrong with a room any more.
        case troubleIsOver = "trouble-over"
        /// What was wished for in a room waits for more than its turn.
        case waits
        /// What was wished for in a room cannot be.
        case failed
        /// The relay is reached.
        case connected
        /// It is not: the code says why, and it is tried again.
        case notConnected = "not-connected"
        /// The profile's client has ended, and no other could be had yet.
        case clientEnded = "client-ended"
        /// The session has ended: only a person can go on from there. It is the last.
        case sessionEnded = "session-ended"
    }

    let kind: Kind
    /// The room that it is about.
    var room: RoomID?
    /// What that is called, where it is known.
    var name: String?
    /// The item of the room.
    var message: ItemAnswer?
    /// How one stands to the room from here on.
    var standing: RoomRow.Standing?
    /// Who made the invitation, where that is known.
    var invitedBy: Handle?
    /// What happened, or why: a code.
    var code: String?
    /// The number that goes with the code.
    var number: UInt64?
    /// What was wished for.
    var wish: MessageID?
    /// The same for a person.
    var text: String?
}

extension WatchEvent {
    /// An item of a room.
    init(_ item: RoomItem, in row: RoomRow) {
        self.init(kind: Kind(item), room: row.room, name: row.name, message: ItemAnswer(item))
    }

    /// One stands otherwise to a room.
    init(standingTo row: RoomRow) {
        self.init(
            kind: .standing,
            room: row.room,
            name: row.name,
            standing: row.standing,
            invitedBy: row.isOffered ? row.invitedBy : nil
        )
    }

    /// Something about a room.
    init(
        _ kind: Kind,
        in row: RoomRow,
        code: String? = nil,
        number: UInt64? = nil,
        wish: MessageID? = nil,
        _ text: String? = nil
    ) {
        self.init(kind: kind, room: row.room, name: row.name, code: code, number: number, wish: wish, text: text)
    }
}

extension WatchEvent.Kind {
    /// What an item of a room is told as.
    fileprivate init(_ item: RoomItem) {
        guard item.kind == .system else {
            self = .message
            return
        }
        self =
            switch item.code {
            case "members": .members
            case "room-info": .renamed
            case "renewed": .renewed
            case "settings": .settings
            default: .change
            }
    }
}
