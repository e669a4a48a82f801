/// What a program stores: whose file it is, and how its tables came to be.
public struct Schema: Sendable {
    /// The number in the file's header that tells this program's files from any other's (`PRAGMA application_id`).
    public let applicationID: Int32
    /// SQL scripts, oldest first; the n-th leads from version n − 1 to n. One that was released never changes.
    ///
    /// They are literals, and so is every statement: a value can never become part of SQL.
    public let migrations: [StaticString]

    /// Lays down a schema.
    public init(applicationID: Int32, migrations: [StaticString]) {
        self.applicationID = applicationID
        self.migrations = migrations
    }

    /// The version these migrations lead to (`PRAGMA user_version`).
    public var version: Int { migrations.count }
}
