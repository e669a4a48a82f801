import MildamIdentity

/// Something that is drawn in a room. A message that waits has its key before it has its number, and becomes the sent one
/// in its place.
public struct RoomItem: Codable, Equatable, Sendable {
    /// What it is.
    public enum Kind: String, Codable, Sendable, CaseIterable {
        /// Words.
        case text
        /// A file.
        case file
        /// Something that happened in the room.
        case system
        /// Something that could not be read.
        case refused
        /// Something newer.
        case unknown
    }

    /// How far it has come.
    public enum State: Codable, Equatable, Sendable {
        /// It waits until the relay can be reached.
        case waiting
        /// It is on its way: so many bytes of so many.
        case sending(done: UInt64, of: UInt64)
        /// The relay has it; of another's, it is here.
        case sent
        /// It cannot be sent, and why.
        case failed(code: String)
    }

    /// Who said it.
    public struct Person: Codable, Equatable, Sendable {
        /// The account.
        public var account: AccountID
        /// What it is called.
        public var handle: Handle?
        /// Whether it is the profile's own.
        public var isOwn: Bool

        /// Makes a person.
        public init(account: AccountID, handle: Handle? = nil, isOwn: Bool) {
            self.account = account
            self.handle = handle
            self.isOwn = isOwn
        }
    }

    /// A file that it brings.
    public struct File: Codable, Equatable, Sendable {
        /// What it is called.
        public var name: String
        /// Its own size in bytes.
        public var size: UInt64

        /// Makes a file.
        public init(name: String, size: UInt64) {
            self.name = name
            self.size = size
        }
    }

    /// Which item; a gap has none.
    public var key: MessageID?
    /// The message's number, once it has one.
    public var number: UInt64?
    /// When it was said, in milliseconds since 1970.
    public var at: UInt64
    /// Who said it.
    public var author: Person?
    /// What it is.
    public var kind: Kind
    /// The words, or the beginning of them.
    public var text: String?
    /// How many bytes the whole of the words has, where they are cut.
    public var cut: Int?
    /// How far it has come.
    public var state: State
    /// A file that it brings.
    public var file: File?
    /// What happened, why it could not be read, or what a file waits for: a code.
    public var code: String?
    /// Who came in.
    public var joined: [Person]?
    /// Who went.
    public var left: [Person]?
    /// From which number on everything up to its own is missing.
    public var since: UInt64?
    /// In a room of the first kind: how many messages of its author's before it never came.
    public var missing: UInt64?
    /// In a room of the first kind: whether its author's device has new keys from it on.
    public var hasNewKeys: Bool?
    /// Another room that it tells of.
    public var room: RoomID?

    /// Makes an item.
    public init(
        key: MessageID?,
        number: UInt64? = nil,
        at: UInt64,
        author: Person? = nil,
        kind: Kind,
        text: String? = nil,
        cut: Int? = nil,
        state: State = .sent,
        file: File? = nil,
        code: String? = nil,
        joined: [Person]? = nil,
        left: [Person]? = nil,
        since: UInt64? = nil,
        missing: UInt64? = nil,
        hasNewKeys: Bool? = nil,
        room: RoomID? = nil
    ) {
        self.key = key
        self.number = number
        self.at = at
        self.author = author
        self.kind = kind
        self.text = text
        self.cut = cut
        self.state = state
        self.file = file
        self.code = code
        self.joined = joined
        self.left = left
        self.since = since
        self.missing = missing
        self.hasNewKeys = hasNewKeys
        self.room = room
    }

    /// - Throws: `outOfRange`.
    func check() throws(ClientLineDefect) {
        try ClientText.check(text, "text", 0...LineLimits.itemText)
        try ClientText.check(file?.name, "name", 0...LineLimits.name)
        try ClientText.checkCode(code)
        if case .failed(let code) = state { try ClientText.checkCode(code) }
        guard (joined?.count ?? 0) + (left?.count ?? 0) <= LineLimits.members else { throw .outOfRange("joined") }
    }
}

extension RoomItem {
    /// Whether it waits to be sent.
    public var isUnsent: Bool {
        switch state {
        case .waiting, .sending: true
        case .sent, .failed: false
        }
    }
}
