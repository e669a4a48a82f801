import MildamClientStore
import MildamGroupKey
import MildamIdentity

/// What a client of the first rooms stored of a room, under the kind "room".
struct StoredLedger: Encodable, Sendable {
    let room: RoomID
    let name: String
    let standing: String
    let invitedBy: Handle?
    let generation: UInt32
    let renewalDue: Bool
    var members: [Member]
    let start: RoomContent.Seen
    var seen: RoomContent.Seen
    let counters: [StoredDevice: UInt64]
    let newcomers: Set<AccountID>
    let sent: UInt64
    let lists: [AccountID: UInt64]?
    let unkept: Int?

    /// - Parameter start: the last message before this device's view.
    init(
        _ room: RoomID = .random(),
        called name: String,
        _ standing: OlderLedger.Standing = .member,
        of members: [Member],
        from start: HistoryPoint = .start
    ) {
        self.room = room
        self.name = name
        self.standing = standing.rawValue
        self.members = members
        self.start = RoomContent.Seen(start)
        seen = RoomContent.Seen(start)
        invitedBy = members.last?.handle
        generation = 1
        renewalDue = false
        counters = Dictionary(
            uniqueKeysWithValues: members.map { (StoredDevice(account: $0.account, device: .random()), 1) }
        )
        newcomers = []
        sent = 1
        lists = [:]
        unkept = nil
    }
}

/// A device, as that client counted its messages.
struct StoredDevice: Encodable, Hashable, Sendable {
    let account: AccountID
    let device: DeviceID
}
