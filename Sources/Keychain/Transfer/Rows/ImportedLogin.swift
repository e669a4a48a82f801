/// What a row of a foreign file says: one login, note, card or the like.
public struct ImportedLogin: Sendable, CustomStringConvertible, CustomReflectable {
    /// Something that has no place of its own, such as a field that somebody added. It may be a secret.
    public struct Field: Sendable {
        /// Its name.
        public let name: String
        /// What it says.
        public let value: SecretValue

        /// Makes a field.
        public init(_ name: String, _ value: SecretValue) {
            self.name = name
            self.value = value
        }
    }

    /// Where in the file it stands, counted from 1: a row, or an entry.
    public let position: Int
    /// What people call it.
    public var title = ""
    /// Where one logs in, the most important first: URLs, or names of servers.
    public var addresses: [String] = []
    /// Who logs in.
    public var username = ""
    /// The password.
    public var password: SecretValue?
    /// What somebody wrote beside it.
    public var note: SecretValue?
    /// The secret of its one-time codes, as the file has it: an `otpauth://` URI, or base32.
    public var oneTimeCode: SecretValue?
    /// The realm of HTTP authentication (RFC 9110, section 11.5).
    public var realm: String?
    /// The folders it lies in, from the outermost, with a slash between them.
    public var folder: String?
    /// Everything else.
    public var fields: [Field] = []

    /// A row that says nothing yet.
    public init(position: Int) { self.position = position }

    /// What to call it in a report: its title, or the server.
    public var name: String {
        if !title.isEmpty { return title }
        if let server = addresses.first.flatMap({ WebAddress($0) })?.server { return server }
        return username.isEmpty ? "row \(position)" : username
    }

    /// Whether it says nothing that could be kept.
    var isEmpty: Bool {
        addresses.isEmpty && username.isEmpty && password == nil && note == nil && oneTimeCode == nil && fields.isEmpty
    }

    /// Keeps a field, unless it is empty.
    mutating func add(_ name: String, _ value: SecretValue?) {
        if let value, value.count > 0 { fields.append(Field(name, value)) }
    }

    /// Where it stands, and nothing of what it says: an address may hold a password.
    public var description: String { "row \(position)" }

    /// Empty: a dump shows nothing of what it says.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
