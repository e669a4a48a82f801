import MildamSystem

/// A database that could not be opened, read or written.
///
/// No description holds a stored value: they name the file, and the tables and columns of the schema.
public enum StorageError: Error, Equatable, Sendable {
    /// The disk, or this user's share of it, has no room. The transaction was undone.
    case full(path: String)
    /// The file is not a database, or what it holds contradicts itself, its schema or its seals.
    case damaged(path: String, reason: String)
    /// A newer program has changed the file's tables.
    case newerVersion(path: String, found: Int, known: Int)
    /// The file is a database of another application.
    case notOurs(path: String)
    /// Another connection held the database for longer than the busy timeout.
    case busy(path: String)
    /// A rule of the schema refused the change; the statement did nothing.
    case constraint(Constraint, reason: String)
    /// The database was opened for reading, or the file may not be written.
    case readOnly(path: String)
    /// The keychain that has the key is locked, or cannot be reached.
    case locked(reason: String)
    /// The operating system refused.
    case io(SystemError)
    /// The program broke a rule of this interface, or its SQL is wrong.
    case misuse(String)

    /// The kinds of rule that a schema lays down.
    public enum Constraint: Equatable, Sendable {
        /// A value that must be the only one of its kind is there already (`UNIQUE`, `PRIMARY KEY`).
        case unique
        /// The row that is referred to is missing, or the one to go is still referred to.
        case foreignKey
        /// A `CHECK` expression is false.
        case check
        /// A column that must have a value has none.
        case notNull
        /// A value of another type than the column of a `STRICT` table takes.
        case type
        /// A trigger refused.
        case trigger
    }
}

extension StorageError: CustomStringConvertible {
    /// What happened, to what, and what to do.
    public var description: String {
        switch self {
        case .full(let path):
            "cannot write \(path): the disk is full; nothing was changed; make room and try again"
        case .damaged(let path, let reason):
            "\(path) is damaged (\(reason)); restore it from a backup"
        case .newerVersion(let path, let found, let known):
            "\(path) has version \(found), and this program knows up to \(known); update the program"
        case .notOurs(let path):
            "\(path) belongs to another program; name another file"
        case .busy(let path):
            "\(path) is in use by another process; try again when it is done"
        case .constraint(_, let reason):
            "the database refused the change: \(reason)"
        case .readOnly(let path):
            "cannot write \(path): it is open for reading only; check the permissions of the file and its folder, "
                + "and whether the disk is mounted for writing"
        case .locked(let reason):
            "the key is in the keychain: \(reason)"
        case .io(let error):
            error.description
        case .misuse(let what):
            "the database was used wrongly: \(what); please report this fault"
        }
    }
}
