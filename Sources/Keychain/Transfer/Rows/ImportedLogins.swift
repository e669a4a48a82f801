/// What a foreign file says, row by row: one that cannot be read does not lose the others.
public struct ImportedLogins: Sendable {
    /// A row: what it says, or why it could not be read.
    public enum Row: Sendable {
        /// What it says.
        case login(ImportedLogin)
        /// Where it stands, what it is called as far as that is known, and what is wrong with it.
        case refused(position: Int, name: String, reason: RowDefect)
    }

    /// The rows, in the file's order.
    public package(set) var rows: [Row] = []
    /// What of the file has no place in a keychain, and how often it was there.
    public package(set) var leftOut: [String: Int] = [:]

    /// No rows yet.
    package init() {}

    /// The rows that could be read.
    public var logins: [ImportedLogin] {
        rows.compactMap { if case .login(let login) = $0 { login } else { nil } }
    }

    /// Takes a row in.
    ///
    /// - Throws: `tooManyRows`.
    package mutating func append(_ row: Row) throws(TransferError) {
        guard rows.count < TransferLimits.rows else { throw .tooManyRows(limit: TransferLimits.rows) }
        rows.append(row)
    }

    /// What somebody has thrown away.
    static let inRecycleBin = "entries in the recycle bin"

    /// Counts something that is not kept.
    mutating func leaveOut(_ what: String, _ count: Int = 1) {
        if count > 0 { leftOut[what, default: 0] += count }
    }
}

/// What is wrong with a row.
public enum RowDefect: Error, Equatable, Sendable {
    /// It is not encoded in UTF-8.
    case notUTF8
    /// It has another number of fields than the first row.
    case fieldCount(Int, expected: Int)
    /// A quotation mark stands where none can, or is never closed.
    case quotes
    /// A part of it is larger than a keychain's items can be: 4 MiB.
    case tooLarge
    /// It says nothing that could be kept.
    case empty
    /// It is of a kind that is not known, or lacks what its kind has.
    case unknownKind
    /// What it protects is still encrypted.
    case encrypted
    /// It is locked where it is.
    case locked
    /// It is no item of this bundle's format.
    case notAnItem(reason: String)
    /// An earlier row of the file goes by the same name, and has another secret.
    case repeated
    /// It names the access group of one of the tool's own parts, such as that of a profile's root key.
    case ownGroup
    /// The keychain refused it.
    case keychain(KeychainError)
}

extension RowDefect: CustomStringConvertible {
    /// What is wrong, in one line.
    public var description: String {
        switch self {
        case .notUTF8: "it is not UTF-8"
        case .fieldCount(let count, let expected): "it has \(count) fields, and the first row \(expected)"
        case .quotes: "its quotation marks do not match"
        case .tooLarge: "a part of it is larger than \(SecretValue.maximumSize >> 20) MiB"
        case .empty: "it says nothing"
        case .unknownKind: "it is of an unknown kind"
        case .encrypted: "what it protects is still encrypted"
        case .locked: "it is locked; unlock it where it is"
        case .notAnItem(let reason): "it is no item: \(reason)"
        case .repeated: "an earlier row is of the same place and account, and has another secret; that one was taken"
        case .ownGroup: "it names an access group of mildam's own parts, and what is in that comes from no file"
        case .keychain(let error): error.description
        }
    }
}
