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
            guard isPlain, (1...LineLimits.code).contains(rawValue.utf8.count) else { return nil }
            self.rawValue = rawValue
        }

        private init(_ text: StaticString) { rawValue = "\(text)" }

        /// The line is nothing that this version knows.
        public static let unknownAsk = Code("unknown-ask")
        /// The line is none, or a field of it is wrong: `field`.
        public static let badLine = Code("bad-line")
        /// The line, or the answer, would be too long.
        public static let tooLong = Code("too-long")
        /// Too many windows are open.
        public static let tooManyWindows = Code("too-many-windows")
        /// There is no such room here: `room`.
        public static let noSuchRoom = Code("no-such-room")
        /// Nobody in the room is called so: `handle`.
        public static let noSuchMember = Code("no-such-member")
        /// Several in the room are called so: `handle`, and some of them in `accounts`.
        public static let ambiguousMember = Code("ambiguous-member")
        /// It takes another standing in the room: `standing` is the present one.
        public static let wrongStanding = Code("wrong-standing")
        /// What is to be shown is not there yet: this device is in no group of the room.
        public static let noGroup = Code("no-group")
        /// It is a room of the first kind, which is only read: `room`.
        public static let olderRoom = Code("older-room")
        /// It is a room that need not be gone on with: `room`.
        public static let notOlder = Code("not-older")
        /// The profile is lent to another program, and was not given back in time.
        public static let lent = Code("lent")
        /// The profile cannot be lent: `reason`.
        public static let notLent = Code("not-lent")
        /// Nothing waits to be said under that id: `message`.
        public static let notWaiting = Code("not-waiting")
        /// It was sent, and the relay may have it: it can no longer be dropped.
        public static let underWay = Code("under-way")
        /// The client is ending.
        public static let ending = Code("ending")
        /// A code of the client's that has another form than codes have: a defect of it.
        public static let unnamed = Code("unnamed")
    }

    /// How many parameters there are at most.
    static let maximumParameters = 16

    /// What happened.
    public var code: Code
    /// What goes with it, by name: 16 at most, of 256 bytes each.
    public var parameters: [String: String]

    /// Makes an error.
    public init(_ code: Code, _ parameters: [String: String] = [:]) {
        self.code = code
        self.parameters = parameters
    }

    /// - Throws: `outOfRange`.
    func check() throws(ClientLineDefect) {
        guard parameters.count <= ClientError.maximumParameters else { throw .outOfRange("parameters") }
        for (name, value) in parameters {
            try ClientText.checkCode(name, "parameters")
            try ClientText.check(value, "parameters", 0...LineLimits.name)
        }
    }
}
