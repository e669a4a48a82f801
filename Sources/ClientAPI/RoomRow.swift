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
    /// Why it cannot be read on, or is at a stand: the code of a cause.
    public var warning: String?

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
        warning: String? = nil
    ) {
        self.room = room
        self.name = name
        self.standing = standing
        self.members = members
        self.generation = generation
        self.epoch = epoch
        self.last = last
        self.unread = unread
        self.warning = warning
    }

    /// - Throws: `outOfRange`.
    func check() throws(ClientLineDefect) {
        try ClientText.checkName(name)
        try ClientText.check(last?.text, "text", 0...480)
        try ClientText.checkCode(warning, "warning")
        guard members >= 0, unread >= 0 else { throw .outOfRange("members") }
    }
}
