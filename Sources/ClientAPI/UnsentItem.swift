import MildamIdentity

/// Something that waits to be said.
public struct UnsentItem: Codable, Equatable, Sendable {
    /// In which room.
    public var room: RoomID
    /// What the room is called; missing where that is not known.
    public var name: String?
    /// What it is; its key is what it is sent under.
    public var item: RoomItem
    /// Whether something was made for it already, which the relay may have: it can no longer be dropped.
    public var isUnderWay: Bool

    /// Makes something that waits.
    public init(room: RoomID, name: String? = nil, item: RoomItem, isUnderWay: Bool) {
        self.room = room
        self.name = name
        self.item = item
        self.isUnderWay = isUnderWay
    }

    /// - Throws: `outOfRange`.
    func check() throws(ClientLineDefect) {
        try ClientText.checkName(name)
        try item.check()
    }
}
