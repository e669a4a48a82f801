import FoundationEssentials
import MildamClientStore
import MildamCrypto
import MildamGroupStore
import MildamIdentity
import MildamProfile
import MildamStorage

/// A profile's database while it is open: sealed rows under keys that do not show what they name.
final class ClientStore {
    let database: Database
    let keys: RowKeys
    /// The profile while it is this store's; `nil` for a copy in memory.
    let turn: ProfileTurn?
    /// The rooms of MLS.
    let rooms: RoomStore

    static let schema = Schema(
        applicationID: 0x4d69_6c43,  // "MilC"
        migrations: [
            """
            CREATE TABLE records (
                kind TEXT NOT NULL,
                name BLOB NOT NULL,
                value BLOB NOT NULL,
                PRIMARY KEY (kind, name)
            ) STRICT, WITHOUT ROWID;
            CREATE TABLE entries (
                room BLOB NOT NULL,
                number INTEGER NOT NULL,
                value BLOB NOT NULL,
                PRIMARY KEY (room, number)
            ) STRICT, WITHOUT ROWID;
            CREATE TABLE outbox (
                place INTEGER PRIMARY KEY AUTOINCREMENT,
                value BLOB NOT NULL
            ) STRICT;
            CREATE TABLE envelopes (
                room BLOB NOT NULL,
                generation INTEGER NOT NULL,
                digest BLOB NOT NULL,
                value BLOB NOT NULL,
                PRIMARY KEY (room, generation, digest)
            ) STRICT, WITHOUT ROWID;
            """,
            // The sender stands before the value, so that nobody's envelopes have to be read to count them.
            """
            CREATE TABLE sent_envelopes (
                room BLOB NOT NULL,
                generation INTEGER NOT NULL,
                digest BLOB NOT NULL,
                sender BLOB NOT NULL,
                value BLOB NOT NULL,
                PRIMARY KEY (room, generation, digest)
            ) STRICT, WITHOUT ROWID;
            INSERT INTO sent_envelopes SELECT room, generation, digest, x'', value FROM envelopes;
            DROP TABLE envelopes;
            ALTER TABLE sent_envelopes RENAME TO envelopes;
            """,
            // Rooms of MLS.
            GroupStore.migration,
            RoomStore.migration,
        ]
    )

    /// - Parameters:
    ///   - root: the key of the database; 32 bytes.
    ///   - earlier: the key that it takes the place of. A database that lies under that one is sealed anew first.
    init(
        database: Database,
        root: SymmetricKey,
        earlier: SymmetricKey? = nil,
        turn: ProfileTurn?
    ) throws(MessengerError) {
        self.database = database
        self.turn = turn
        do throws(StorageError) {
            keys = try Self.keys(of: database, under: root, orElse: earlier)
            rooms = try RoomStore(database: database, rootKey: root)
        } catch {
            throw MessengerError(error)
        }
    }

    /// Runs `body` as one transaction: all of it is on the disk when this returns, or none.
    func transaction<Result>(_ body: () throws(MessengerError) -> Result) throws(MessengerError) -> Result {
        do {
            return try database.transactionUnlessRefused { () -> Swift.Result<Result, MessengerError> in
                do throws(MessengerError) {
                    return .success(try body())
                } catch {
                    return .failure(error)
                }
            }.get()
        } catch {
            throw MessengerError(error)
        }
    }

    /// Cuts deleted secrets out of the write-ahead log, and begins it anew.
    func forgetDeleted() throws(MessengerError) {
        do { try database.truncateWAL() } catch { throw .storage(error) }
        // What is sent next is synced once before its request leaves. Where it cannot be now, that begins the log.
        try? database.beginLog()
    }

    /// The name under which the database knows something: it does not show what it names.
    func blinded(_ table: String, _ name: [UInt8]) -> [UInt8] { keys.blinded(table, name) }

    /// What a record holds, sealed.
    func sealedRecord(_ kind: String, _ key: [UInt8]) throws(MessengerError) -> Data? {
        do {
            return try database.first("SELECT value FROM records WHERE kind = ? AND name = ?", kind, key) {
                row throws(StorageError) in try row.data(0)
            }
        } catch {
            throw .storage(error)
        }
    }

    /// Stores a sealed record, in the place of one with this name.
    func put(sealed: Data, _ kind: String, _ key: [UInt8]) throws(MessengerError) {
        do {
            try database.execute(
                "INSERT OR REPLACE INTO records (kind, name, value) VALUES (?, ?, ?)",
                kind,
                key,
                sealed
            )
        } catch {
            throw .storage(error)
        }
    }

    /// Seals a record.
    func seal(_ value: Data, _ kind: String, _ key: [UInt8]) throws(MessengerError) -> Data {
        do { return try keys.records.seal(value, column: "value", row: .text(kind), .bytes(key)) } catch {
            throw .storage(error)
        }
    }

    /// Opens a record.
    func open(_ sealed: Data, _ kind: String, _ key: [UInt8]) throws(MessengerError) -> Data {
        do { return try keys.records.open(sealed, column: "value", row: .text(kind), .bytes(key)) } catch {
            throw .storage(error)
        }
    }

    /// A value as it is sealed.
    func encode(_ value: some Encodable) throws(MessengerError) -> Data {
        do { return try JSONEncoder().encode(value) } catch { throw .stateDamaged("a record cannot be written") }
    }

    /// A value that was sealed.
    func decode<Value: Decodable>(_ data: Data) throws(MessengerError) -> Value {
        do { return try JSONDecoder().decode(Value.self, from: data) } catch {
            throw .stateDamaged("a record of \(database.path) is not what it should be")
        }
    }
}
