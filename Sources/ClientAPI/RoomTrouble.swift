import MildamIdentity

/// Why a room is at a stand, or what is wrong with it, and what is done about it.
public struct RoomTrouble: Codable, Equatable, Sendable {
    /// The code where somebody else has acted with the keys of the profile's device.
    public static let keysAreUsedElsewhere = "keys-are-used-elsewhere"

    /// Which room.
    public var room: RoomID
    /// What it is called; missing where that is not known.
    public var name: String?
    /// What happened: the code of a cause, or ``keysAreUsedElsewhere``.
    public var code: String
    /// The number that the code is about.
    public var number: UInt64?
    /// What is done about it by itself, or `renew-keys`, which somebody has to do: a code.
    public var remedy: String

    /// Makes a trouble.
    public init(room: RoomID, name: String? = nil, code: String, number: UInt64? = nil, remedy: String) {
        self.room = room
        self.name = name
        self.code = code
        self.number = number
        self.remedy = remedy
    }

    /// - Throws: `outOfRange`.
    func check() throws(ClientLineDefect) {
        try ClientText.checkName(name)
        try ClientText.checkCode(code)
        try ClientText.checkCode(remedy, "remedy")
    }
}
