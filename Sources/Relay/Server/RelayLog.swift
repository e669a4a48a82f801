/// What the relay says of itself: one entry an event, without content, handles, clients' addresses, keys or tokens. The
/// networks of logins that failed are in it where somebody asked for that.
public struct RelayLog: Sendable {
    /// How much an entry matters.
    public enum Level: String, Sendable {
        /// What happens as it should.
        case info
        /// Something that a person should look at.
        case error
    }

    /// What happened.
    public struct Entry: Sendable {
        /// How much it matters.
        public let level: Level
        /// What kind of thing it is, for programs: lower-case words joined by "_".
        public let event: String
        /// The same for people; empty where the fields say it all.
        public let message: String
        /// What else there is to know, in the order in which it is to be shown.
        public let fields: [Field]
    }

    /// One thing to know of an event.
    public struct Field: Sendable {
        /// Its name.
        public let name: String
        /// Its value.
        public let value: Value
    }

    /// The value of a field.
    public enum Value: Sendable {
        /// Words.
        case text(String)
        /// A whole number.
        case number(Int)
        /// Any other number.
        case decimal(Double)
    }

    private let take: @Sendable (Entry) -> Void

    /// A log whose entries go to `take`, from any thread.
    public init(_ take: @escaping @Sendable (Entry) -> Void) {
        self.take = take
    }

    /// A log that keeps nothing.
    public static let none = RelayLog { _ in }

    /// Something that a person should look at.
    public func error(_ event: String, _ message: String, _ fields: Field...) {
        take(Entry(level: .error, event: event, message: message, fields: fields))
    }

    /// Something that happens as it should.
    public func info(_ event: String) {
        write(.info, event, [])
    }

    /// An entry as it is.
    func write(_ entry: Entry) {
        take(entry)
    }

    /// What the fields alone say.
    func write(_ level: Level, _ event: String, _ fields: [Field]) {
        take(Entry(level: level, event: event, message: "", fields: fields))
    }
}

extension RelayLog.Field {
    static func text(_ name: String, _ value: String) -> Self { Self(name: name, value: .text(value)) }
    static func number(_ name: String, _ value: some BinaryInteger) -> Self {
        Self(name: name, value: .number(Int(clamping: value)))
    }
    static func decimal(_ name: String, _ value: Double) -> Self { Self(name: name, value: .decimal(value)) }
}
