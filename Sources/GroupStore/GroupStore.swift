import MildamCrypto
import MildamMLS
import MildamStorage

/// MLS groups in a database of their owner's: each group's state in small sealed records (RFC 9420, sections 14 and 16.6).
///
/// Each record is sealed under a key of its term: the group's, one of an epoch, or one of what late messages of an epoch are
/// read with. These keys are random, and lie in the database themselves, sealed under its root key. When a term ends, its key
/// goes, and all records with it; `secure_delete` overwrites them in the file, and ``eraseRemains(patience:)`` cuts them out of
/// the write-ahead log. Whoever gets hold of the file and the root key after that finds nothing that was deleted before.
///
/// The file shows how many groups there are, how many terms and records each has, and roughly how large they are. Not
/// noticed, for lack of anything to compare with: older rows that are put back, and missing ones of proposals, of a commit that
/// waits, and of keys of messages.
///
/// A group has one owner: who loads it twice and saves both spoils it.
public final class GroupStore {
    /// The tables, for the schema of the database's owner.
    public static let migration: StaticString = """
        CREATE TABLE mls_keys (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            family BLOB NOT NULL,
            name BLOB NOT NULL UNIQUE,
            value BLOB NOT NULL
        ) STRICT;
        CREATE INDEX mls_keys_of_family ON mls_keys (family);
        CREATE TABLE mls_records (
            key INTEGER NOT NULL REFERENCES mls_keys (number) ON DELETE CASCADE,
            name BLOB NOT NULL,
            value BLOB NOT NULL,
            PRIMARY KEY (key, name)
        ) STRICT, WITHOUT ROWID;
        """

    let database: Database
    let keys: RowSealer
    let naming: SymmetricKey
    /// Whether the write-ahead log may hold what was deleted: the store was just opened, and a program may have ended before
    /// the log was cut; another connection was reading; or the disk refused.
    public internal(set) var hasRemains = true

    /// A store in a database that has the tables. ``eraseRemains(patience:)`` is due: who ended before may not have come to it.
    ///
    /// - Parameter rootKey: 32 bytes.
    public init(database: Database, rootKey: SymmetricKey) {
        self.database = database
        keys = RowSealer(rootKey: rootKey, table: "mls_keys", path: database.path)
        naming = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: rootKey,
            info: Array("mildam/1 mls names".utf8),
            outputByteCount: 32
        )
    }

    // MARK: Groups

    /// The groups that are stored.
    public func groupIDs() throws(StorageError) -> [GroupID] {
        try keyRows(of: nil).compactMap { $0.term == .group ? $0.group : nil }
    }

    /// A group as it was saved; `nil` where none of that name is.
    ///
    /// - Throws: `damaged` when a record does not open or contradicts another, or one of the tree or the epoch is missing.
    public func load(_ group: GroupID, environment: GroupEnvironment) throws(StorageError) -> Group? {
        let rows = try keyRows(of: group)
        guard !rows.isEmpty else { return nil }
        var records: [StateRecord] = []
        for row in rows { records += try self.records(under: row) }
        do {
            return try Group(restoring: records, environment: environment)
        } catch {
            throw .damaged(path: database.path, reason: "the records of a group are not all, or contradict one another")
        }
    }

    /// Saves a group as it is now, in a transaction of the caller's: with the message, for example, that it is changed by.
    ///
    /// ``eraseRemains(patience:)`` is due when that transaction is over. Where it was undone, the group is to be loaded again.
    ///
    /// - Parameter stored: the group as it was saved or loaded last; `nil` for a new one.
    /// - Throws: `constraint` for a new one that is there already; `misuse` where `stored` is not what is there.
    public func save(_ group: Group, replacing stored: Group?) throws(StorageError) {
        let id = group.publicGroup.context.groupID
        guard stored == nil || stored?.publicGroup.context.groupID == id else {
            throw .misuse("a group saved as another one")
        }
        let changes = group.changes(since: stored)
        guard !changes.isEmpty else { return }
        hasRemains = true
        for term in changes.ended {
            try database.execute("DELETE FROM mls_keys WHERE name = ?", keyName(id, term))
            guard database.changes == 1 else { throw .misuse("a group that is not stored as it is said to be") }
        }
        var known: [StateRecord.Term: KeyRow] = [:]
        for term in changes.begun { known[term] = try makeKey(id, term) }
        func row(_ term: StateRecord.Term) throws(StorageError) -> KeyRow {
            if let row = known[term] { return row }
            guard let row = try keyRow(id, term) else {
                throw .misuse("a group that is not stored as it is said to be")
            }
            known[term] = row
            return row
        }
        for name in changes.removed {
            let row = try row(name.term)
            try database.execute(
                "DELETE FROM mls_records WHERE key = ? AND name = ?",
                row.number,
                blinded(name.wireBytes, id)
            )
        }
        for record in changes.stored { try store(record, under: try row(record.name.term)) }
    }

    /// Changes a group, and saves it, before anything comes of the change.
    ///
    /// - Parameter group: the group as it was saved or loaded last; as it was, where this throws.
    /// - Returns: what `body` returns; a message that it made may be sent from here on.
    /// - Throws: `refused` with what `body` throws; `notStored`.
    public func change<Value>(
        _ group: inout Group,
        _ body: (inout Group) throws(MLSError) -> Value
    ) throws(GroupStoreError) -> Value {
        var next = group
        let value: Value
        do { value = try body(&next) } catch { throw .refused(error) }
        do throws(StorageError) {
            let stored = group
            try database.transaction { () throws(StorageError) in try save(next, replacing: stored) }
        } catch {
            throw .notStored(error)
        }
        group = next
        // It is stored, whether the log could be cut or not; a reader may take as long as it likes.
        try? eraseRemains(patience: 0)
        return value
    }

    /// Deletes a group.
    ///
    /// ``eraseRemains(patience:)`` is due when the transaction is over.
    public func delete(_ group: GroupID) throws(StorageError) {
        hasRemains = true
        try database.execute("DELETE FROM mls_keys WHERE family = ?", family(group))
    }

    /// Cuts what was deleted out of the write-ahead log.
    ///
    /// - Parameter patience: how long to wait for readers, in milliseconds; `nil`: as long as for anything else.
    /// - Throws: `busy` while another connection reads an older state.
    public func eraseRemains(patience: Int32? = nil) throws(StorageError) {
        guard hasRemains else { return }
        try database.truncateWAL(patience: patience)
        hasRemains = false
    }

    /// The log was cut by who shares the database, after everything that this store has deleted.
    public func noteErased() { hasRemains = false }
}
