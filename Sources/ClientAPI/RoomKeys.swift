import MildamIdentity

/// Whether a room has the keys that the profile's device has now.
public struct RoomKeys: Codable, Equatable, Sendable {
    /// Which room.
    public var room: RoomID
    /// What it is called; missing where that is not known.
    public var name: String?
    /// Whether it has them; where it has not, the client goes on until it has.
    public var arePresent: Bool
    /// Why it has not yet: a code, where more is known than that it waits.
    public var code: String?
    /// The number that the code is about.
    public var number: UInt64?

    /// Makes a room's line.
    public init(room: RoomID, name: String? = nil, arePresent: Bool, code: String? = nil, number: UInt64? = nil) {
        self.room = room
        self.name = name
        self.arePresent = arePresent
        self.code = code
        self.number = number
    }

    /// - Throws: `outOfRange`.
    func check() throws(ClientLineDefect) {
        try ClientText.checkName(name)
        try ClientText.checkCode(code)
    }
}
