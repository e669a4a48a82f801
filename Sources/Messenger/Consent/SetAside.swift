import MildamIdentity

/// What came by mail and was not believed: the last of it, and how much there was.
struct SetAside: Codable, Sendable {
    /// Why something was set aside. Some are of rooms of the first kind, and stand in earlier records alone.
    enum Cause: String, Codable {
        /// Cut, or larger than any.
        case malformed = "malformed"
        /// For another device, or for another room than the one with whose change it came.
        case notForUs = "made for another device or room"
        /// The relay has it from another account than the one that it names.
        case otherAccount = "in the name of another account than the one that sent it"
        /// Not signed by the newest keys of the device it claims to be from, or altered.
        case forged = "not from the device it claims to be from"
        /// From the device that it claims to be from, and sealed for keys that this device has no more.
        case unreadable = "sealed for keys that this device does not have"
        /// Nobody has the handle that it claims to be from.
        case unknownSender = "from nobody on this relay"
        /// The relay shows records for its sender that are not believed.
        case otherKey = "the relay shows another key for its sender"
        /// The relay shows an older device list of its sender than was seen, which proves nothing against anybody.
        case relayIsBehind = "the relay shows an older device list of its sender than this device has seen"
        /// Its sender is known by another key than the one that the relay shows.
        case toldUnderAnotherKey = "told under another key"
        /// The room it invites to has no name, or does not have both of them in it.
        case misfit = "an invitation that does not fit"
        /// The account is blocked.
        case blocked = "blocked"
        /// Too much in this account's name was not believed.
        case muted = "too many before it could not be believed"
        /// There was no place for it.
        case full = "too many requests"
    }

    /// One thing.
    struct Item: Codable, Sendable {
        /// Why.
        var cause: Cause
        /// When, in milliseconds since 1970.
        var time: Int64
        /// Whom it claimed to be from.
        var sender: Handle?
        /// The room it came with.
        var room: RoomID
    }

    /// How many are kept.
    static let capacity = 200

    /// The last ones, the oldest first.
    private(set) var last: [Item] = []
    /// How many there ever were.
    private(set) var count: UInt64 = 0

    /// Notes one.
    mutating func add(_ item: Item) {
        count &+= 1
        last = (last + [item]).suffix(Self.capacity)
    }
}
