import MildamIdentity

/// Why something was not done: a code, and what belongs to it. The words are the window's.
public struct ClientError: Error, Codable, Equatable, Sendable {
    /// What happened.
    public struct Code: RawRepresentable, Codable, Hashable, Sendable {
        /// 1 to 64 bytes of `[a-z0-9_-]`.
        public let rawValue: String

        /// Checks a code.
        public init?(rawValue: String) {
            let isPlain = rawValue.utf8.allSatisfy {
                switch $0 {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
                case UInt8(ascii: "_"), UInt8(ascii: "-"): true
                default: false
                }
            }
            guard isPlain, (1...ClientLimits.code).contains(rawValue.utf8.count) else { return nil }
            self.rawValue = rawValue
        }

        private init(_ text: StaticString) { rawValue = "\(text)" }

        /// The line is nothing that this version knows.
        public static let unknownAsk = Code("unknown_ask")
        /// The line is none, or a field of it is wrong.
        public static let badLine = Code("bad_line")
        /// The answer would be too long.
        public static let tooLong = Code("too_long")
        /// Too many windows are open.
        public static let tooMany = Code("too_many_windows")
        /// There is no such room here.
        public static let unknownRoom = Code("unknown_room")
        /// There is no such account.
        public static let unknownAccount = Code("unknown_account")
        /// The profile has no account.
        public static let noAccount = Code("no_account")
        /// It takes another standing in the room.
        public static let wrongStanding = Code("wrong_standing")
        /// It takes a role that one does not have.
        public static let roleNeeded = Code("role_needed")
        /// The relay cannot be reached, and it takes the relay.
        public static let unreachable = Code("unreachable")
        /// What is stored here is damaged, or cannot be written.
        public static let store = Code("store")
        /// The client is ending.
        public static let ending = Code("ending")
    }

    /// What happened.
    public var code: Code
    /// The room that it is about.
    public var room: RoomID?
    /// The account that it is about.
    public var handle: Handle?
    /// The role that it takes.
    public var role: MemberRole?
    /// The field that is wrong, by the names that lead to it.
    public var field: String?
    /// What is allowed at most, or the number that it is about.
    public var number: UInt64?
    /// How many seconds to wait.
    public var seconds: UInt64?

    /// Makes an error.
    public init(
        _ code: Code,
        room: RoomID? = nil,
        handle: Handle? = nil,
        role: MemberRole? = nil,
        field: String? = nil,
        number: UInt64? = nil,
        seconds: UInt64? = nil
    ) {
        self.code = code
        self.room = room
        self.handle = handle
        self.role = role
        self.field = field
        self.number = number
        self.seconds = seconds
    }

    /// - Throws: `outOfRange`.
    func check() throws(ClientLineDefect) { try ClientText.check(field, "field", 0...ClientLimits.name) }
}
