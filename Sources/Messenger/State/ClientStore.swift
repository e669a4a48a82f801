import FoundationEssentials
import MildamCrypto
import MildamIdentity
import MildamStorage
import MildamSystem

/// A profile's database while it is open: sealed rows under keys that do not show what they name.
final class ClientStore {
    private let database: Database
    private let sealers: (records: RowSealer, entries: RowSealer, outbox: RowSealer)
    private let naming: SymmetricKey
    private let lock: ProcessLock

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
                place INTEGER PRIMARY KEY,
                value BLOB NOT NULL
            ) STRICT;
            """
        ]
    )

    init(database: Database, root: SymmetricKey, lock: consuming ProcessLock) throws(MessengerError) {
        self.database = database
        self.lock = lock
        func sealer(_ table: String) -> RowSealer { RowSealer(rootKey: root, table: table, path: database.path) }
        sealers = (sealer("records"), sealer("entries"), sealer("outbox"))
        naming = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: root,
            info: Array("mildam/1 row names".utf8),
            outputByteCount: 32
        )
        try proveRootKey()
    }

    /// Refuses a root key that is not this database's: under it, no blinded name would be found, and a profile whose
    /// key was lost would look like a new one.
    private func proveRootKey() throws(MessengerError) {
        let kind = "root key"
        let name = [UInt8](repeating: 0, count: 16)
        if let sealed = try sealedRecord(kind, name) {
            do { _ = try sealers.records.open(sealed, column: "value", row: .text(kind), .bytes(name)) } catch {
                throw .stateDamaged("the root key is not the one that \(database.path) was made with")
            }
        } else {
            try put(sealed: try seal(Data(), kind, name), kind, name)
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

    /// Cuts deleted secrets out of the write-ahead log.
    func forgetDeleted() throws(MessengerError) {
        do { try database.truncateWAL() } catch { throw .storage(error) }
    }

    // MARK: Records

    /// The record of a kind and name.
    func record<Value: Decodable>(_ kind: RecordKind<Value>, _ name: [UInt8]) throws(MessengerError) -> Value? {
        let key = blinded(kind.text, name)
        guard let sealed = try sealedRecord(kind.text, key) else { return nil }
        return try decode(try open(sealed, kind.text, key))
    }

    /// All records of a kind, in no order.
    func records<Value: Decodable>(_ kind: RecordKind<Value>) throws(MessengerError) -> [Value] {
        var found: [(name: [UInt8], value: Data)] = []
        do {
            found = try database.rows("SELECT name, value FROM records WHERE kind = ?", kind.text) {
                row throws(StorageError) in (try row.bytes(0), try row.data(1))
            }
        } catch {
            throw .storage(error)
        }
        var values: [Value] = []
        for (name, sealed) in found { values.append(try decode(try open(sealed, kind.text, name))) }
        return values
    }

    /// Stores a record, in the place of one with this name.
    func put<Value: Encodable>(_ value: Value, as kind: RecordKind<Value>, _ name: [UInt8]) throws(MessengerError) {
        let key = blinded(kind.text, name)
        try put(sealed: try seal(try encode(value), kind.text, key), kind.text, key)
    }

    /// Removes a record.
    func remove<Value>(_ kind: RecordKind<Value>, _ name: [UInt8]) throws(MessengerError) {
        let key = blinded(kind.text, name)
        do { try database.execute("DELETE FROM records WHERE kind = ? AND name = ?", kind.text, key) } catch {
            throw .storage(error)
        }
    }

    // MARK: Secret keys

    /// A secret key of 32 bytes.
    func key(_ kind: SecretKind, _ name: [UInt8]) throws(MessengerError) -> SymmetricKey? {
        let key = blinded(kind.rawValue, name)
        guard let sealed = try sealedRecord(kind.rawValue, key) else { return nil }
        var opened = try open(sealed, kind.rawValue, key)
        defer { opened.wipe() }
        return SymmetricKey(data: opened)
    }

    /// Stores a secret key.
    func put(_ secret: SymmetricKey, as kind: SecretKind, _ name: [UInt8]) throws(MessengerError) {
        let key = blinded(kind.rawValue, name)
        var bytes = unsafe secret.withUnsafeBytes { unsafe Data($0) }
        defer { bytes.wipe() }
        try put(sealed: try seal(bytes, kind.rawValue, key), kind.rawValue, key)
    }

    // MARK: Entries of rooms

    /// Stores what came of a room's message.
    func put(_ entry: RoomEntry, in room: RoomID) throws(MessengerError) {
        let key = blinded("entries", room.bytes)
        let value = try encode(entry)
        do {
            let number = Int64(clamping: entry.number)
            let sealed = try sealers.entries.seal(value, column: "value", row: .bytes(key), .integer(number))
            try database.execute(
                "INSERT OR REPLACE INTO entries (room, number, value) VALUES (?, ?, ?)",
                key,
                number,
                sealed
            )
        } catch {
            throw .storage(error)
        }
    }

    /// A room's entries from a number on, ascending.
    func entries(of room: RoomID, from number: UInt64) throws(MessengerError) -> [RoomEntry] {
        let key = blinded("entries", room.bytes)
        var found: [(number: Int64, value: Data)] = []
        do {
            found = try database.rows(
                "SELECT number, value FROM entries WHERE room = ? AND number >= ? ORDER BY number",
                key,
                Int64(clamping: number)
            ) { row throws(StorageError) in (try row.int64(0), try row.data(1)) }
        } catch {
            throw .storage(error)
        }
        var entries: [RoomEntry] = []
        for (number, sealed) in found { entries.append(try entry(sealed, key, number)) }
        return entries
    }

    /// One entry.
    func entry(of room: RoomID, number: UInt64) throws(MessengerError) -> RoomEntry? {
        let key = blinded("entries", room.bytes)
        let sealed: Data?
        do {
            sealed = try database.first(
                "SELECT value FROM entries WHERE room = ? AND number = ?",
                key,
                Int64(clamping: number)
            ) { row throws(StorageError) in try row.data(0) }
        } catch {
            throw .storage(error)
        }
        return try sealed.map { (sealed) throws(MessengerError) in
            try entry(sealed, key, Int64(clamping: number))
        }
    }

    private func entry(_ sealed: Data, _ room: [UInt8], _ number: Int64) throws(MessengerError) -> RoomEntry {
        do {
            return try decode(
                try sealers.entries.open(sealed, column: "value", row: .bytes(room), .integer(number))
            )
        } catch {
            throw MessengerError(error)
        }
    }

    // MARK: The outbox

    /// Adds to the end of the outbox.
    ///
    /// - Returns: the item's place.
    @discardableResult
    func append(_ item: OutboxItem) throws(MessengerError) -> Int64 {
        do {
            let place =
                try database.first("SELECT coalesce(max(place), 0) + 1 FROM outbox") {
                    row throws(StorageError) in try row.int64(0)
                } ?? 1
            try update(item, at: place)
            return place
        } catch {
            throw MessengerError(error)
        }
    }

    /// Replaces what lies at a place of the outbox.
    func update(_ item: OutboxItem, at place: Int64) throws(MessengerError) {
        let value = try encode(item)
        do {
            let sealed = try sealers.outbox.seal(value, column: "value", row: .integer(place))
            try database.execute("INSERT OR REPLACE INTO outbox (place, value) VALUES (?, ?)", place, sealed)
        } catch {
            throw .storage(error)
        }
    }

    /// Everything in the outbox, in order.
    func outbox() throws(MessengerError) -> [(place: Int64, item: OutboxItem)] {
        var found: [(place: Int64, value: Data)] = []
        do {
            found = try database.rows("SELECT place, value FROM outbox ORDER BY place") {
                row throws(StorageError) in (try row.int64(0), try row.data(1))
            }
        } catch {
            throw .storage(error)
        }
        var items: [(place: Int64, item: OutboxItem)] = []
        for (place, sealed) in found {
            do {
                items.append(
                    (place, try decode(try sealers.outbox.open(sealed, column: "value", row: .integer(place))))
                )
            } catch {
                throw MessengerError(error)
            }
        }
        return items
    }

    /// Drops what lies at a place of the outbox.
    func removeFromOutbox(_ place: Int64) throws(MessengerError) {
        do { try database.execute("DELETE FROM outbox WHERE place = ?", place) } catch { throw .storage(error) }
    }

    // MARK: Sealing

    private func blinded(_ table: String, _ name: [UInt8]) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: Array(table.utf8) + [0] + name, using: naming).prefix(16))
    }

    private func sealedRecord(_ kind: String, _ key: [UInt8]) throws(MessengerError) -> Data? {
        do {
            return try database.first("SELECT value FROM records WHERE kind = ? AND name = ?", kind, key) {
                row throws(StorageError) in try row.data(0)
            }
        } catch {
            throw .storage(error)
        }
    }

    private func put(sealed: Data, _ kind: String, _ key: [UInt8]) throws(MessengerError) {
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

    private func seal(_ value: Data, _ kind: String, _ key: [UInt8]) throws(MessengerError) -> Data {
        do { return try sealers.records.seal(value, column: "value", row: .text(kind), .bytes(key)) } catch {
            throw .storage(error)
        }
    }

    private func open(_ sealed: Data, _ kind: String, _ key: [UInt8]) throws(MessengerError) -> Data {
        do { return try sealers.records.open(sealed, column: "value", row: .text(kind), .bytes(key)) } catch {
            throw .storage(error)
        }
    }

    private func encode(_ value: some Encodable) throws(MessengerError) -> Data {
        do { return try JSONEncoder().encode(value) } catch { throw .stateDamaged("a record cannot be written") }
    }

    private func decode<Value: Decodable>(_ data: Data) throws(MessengerError) -> Value {
        do { return try JSONDecoder().decode(Value.self, from: data) } catch {
            throw .stateDamaged("a record of \(database.path) is not what it should be")
        }
    }
}
