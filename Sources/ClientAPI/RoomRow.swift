import MildamIdentity

/// A room, as it stands in a list.
public struct RoomRow: Codable, Equatable, Sendable {
    /// How one stands to the room.
    public enum Standing: String, Codable, Sendable, CaseIterable {
        /// It is being made.
        case beginning
        /// Somebody whom one knows wants one in it.
        case invited
        /// Somebody whom one does not know wants one in it.
        case request
        /// One is in it.
        case member
        /// One is on the way out.
        case leaving
        /// One was put out.
        case removed
        /// One was in it.
        case left
        /// It is of the first kind: it can be read, and gone on with as another room.
        case older
    }

    /// What was said last.
    public struct Last: Codable, Equatable, Sendable {
        /// When, in milliseconds since 1970.
        public var at: UInt64
        /// Who said it.
        public var author: Handle?
        /// The beginning of it: 120 characters at most.
        public var text: String?

        /// Makes a row's last line.
        public init(at: UInt64, author: Handle? = nil, text: String? = nil) {
            self.at = at
            self.author = author
            self.text = text
        }
    }

    /// Which room.
    public var room: RoomID
    /// What it is called; missing where that is not known yet.
    public var name: String?
    /// How one stands to it.
    public var standing: Standing
    /// How many accounts are in it.
    public var members: Int
    /// Which group it is in.
    public var generation: UInt64
    /// Which epoch that is in.
    public var epoch: UInt64
    /// What was said last.
    public var last: Last?
    /// How many messages of others were not read.
    public var unread: Int
    /// Whether there may be more that were not read than were counted; missing where all were.
    public var hasMoreUnread: Bool?
    /// Why it cannot be read on, or is at a stand: the code of a cause.
    public var warning: String?
    /// Of a room of the first kind: the room that goes on from it, where one does.
    public var goesOnAs: RoomID?
    /// The room of the first kind that it goes on from, by its creator's word.
    public var goesOnFrom: RoomID?
    /// Who made the invitation, where that is known.
    public var invitedBy: Handle?
    /// What members may do without a role, where this device is in the group.
    public var policy: MemberPolicy?
    /// The number of the last message that is here; missing where none is.
    public var number: UInt64?
    /// The message that the warning is about, or the first that is still kept, where it has one.
    public var warningNumber: UInt64?

    /// Makes a row.
    public init(
        room: RoomID,
        name: String? = nil,
        standing: Standing,
        members: Int,
        generation: UInt64,
        epoch: UInt64,
        last: Last? = nil,
        unread: Int,
        warning: String? = nil,
        goesOnAs: RoomID? = nil,
        goesOnFrom: RoomID? = nil,
        invitedBy: Handle? = nil,
        policy: MemberPolicy? = nil,
        number: UInt64? = nil,
        warningNumber: UInt64? = nil,
        hasMoreUnread: Bool? = nil
    ) {
        self.room = room
        self.name = name
        self.standing = standing
        self.members = members
        self.generation = generation
        self.epoch = epoch
        self.last = last
        self.unread = unread
        self.hasMoreUnread = hasMoreUnread
        self.warning = warning
        self.goesOnAs = goesOnAs
        self.goesOnFrom = goesOnFrom
        self.invitedBy = invitedBy
        self.policy = policy
        self.number = number
        self.warningNumber = warningNumber
    }

    /// - Throws: `outOfRange`.
    func check() throws(ClientLineDefect) {
        try ClientText.checkName(name)
        try ClientText.check(last?.text, "text", 0...480)
        try ClientText.checkCode(warning, "warning")
        guard members >= 0, unread >= 0 else { throw .outOfRange("members") }
    }
}

extension RoomRow {
    /// Whether one is only invited to the room, by whomever.
    public var isOffered: Bool { standing == .invited || standing == .request }

    /// Whether one was put out of the room, or has left it.
    public var isPast: Bool { standing == .removed || standing == .left }
}
