import MildamClientAPI
import MildamIdentity

/// A room as programs are told of it.
struct RoomLine: Encodable {
    /// The room's id.
    let room: RoomID
    /// Its name; missing where that is not known yet.
    let name: String?
    /// How one stands to it.
    let standing: RoomRow.Standing
    /// Who invited this account, where that is known.
    let invitedBy: Handle?
    /// Its members: their handles, or their accounts where those are not known yet.
    let members: [String]
    /// Which group it is in.
    let generation: UInt64
    /// Which epoch that is in.
    let epoch: UInt64
    /// How many messages of others were not read.
    let unread: Int
    /// Whether there may be more than were counted; left out where all were.
    let hasMoreUnread: Bool?
    /// Why it cannot be read on: the code of a cause.
    let warning: String?

    init(_ row: RoomRow, _ members: [RoomMember]) {
        room = row.room
        name = row.name
        standing = row.standing
        invitedBy = row.invitedBy
        self.members = members.map(\.label).sorted()
        generation = row.generation
        epoch = row.epoch
        unread = row.unread
        hasMoreUnread = row.hasMoreUnread
        warning = row.warning
    }

    /// How many members are named on a terminal; of more, only how many there are is told.
    private static let named = 8

    /// Its members, as they are listed.
    ///
    /// - Parameter isCut: whether of many only the number is told, as on a terminal; in a pipe all are named.
    func names(isCut: Bool) -> String {
        isCut && members.count > Self.named ? "\(members.count) members" : members.joined(separator: ", ")
    }
}

extension RoomMember {
    /// The handle, or the account where that is not known yet.
    var label: String { handle?.text ?? "\(account)" }
}

extension RoomRow {
    /// The name, safe to print, or the id where that is not known.
    var label: String { name.map { shown($0) } ?? "\(room)" }

    /// How many messages were not read, with a sign where there may be more.
    var unreadCount: String { hasMoreUnread == true ? "\(unread)+" : "\(unread)" }

    /// How one stands to the room, and what to do about it.
    var situation: String {
        switch standing {
        case .invited: "invited\(invitedBy.map { " by \($0)" } ?? ""): mildam room join \(room)"
        case .beginning: "not at the relay yet"
        case .older: OlderRoomWords.standing(of: self) ?? standing.rawValue
        default: standing.rawValue
        }
    }
}
