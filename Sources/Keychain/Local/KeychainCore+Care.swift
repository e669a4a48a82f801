import MildamCrypto
import MildamStorage

/// A look at every row, and the acceptance of what is there.
extension KeychainCore {
    /// Opens everything that there is a key for.
    ///
    /// - Throws: `locked` when the keychain was never opened; `storage`.
    func verify() throws(KeychainError) -> KeychainReport {
        guard let store else { throw .locked }
        return try database.reading { () throws(KeychainError) in
            var report = KeychainReport()
            try store.forEachRow { row throws(KeychainError) in
                report.items += 1
                do throws(KeychainError) { try check(row, store) } catch {
                    switch error {
                    case .locked, .needsPassphrase: report.unopened += 1
                    case .damagedItem(let number): report.damaged.append(number)
                    default: throw error
                    }
                }
                return true
            }
            do throws(KeychainError) {
                guard try store.head().rows == store.rowsHash() else {
                    throw .changedFromOutside(reason: "a row is missing, came back or is an older one")
                }
            } catch .storage(let error) {
                throw .storage(error)
            } catch {
                report.problem = error
            }
            if report.problem == nil { report.problem = problem }
            if report.problem == nil { report.problem = try damagedPast(store) }
            try mapping { () throws(StorageError) in try database.checkIntegrity() }
            return report
        }
    }

    /// How many items there is a key for.
    func readableItems() throws(KeychainError) -> Int {
        guard keys != nil else { return 0 }
        return try read { (store) throws(KeychainError) in
            try store.counts().reduce(0) { sum, entry in (try? key(entry.key)) == nil ? sum : sum + entry.value }
        }
    }

    /// Opens a row's attributes and its secret.
    func check(_ row: ItemRow, _ store: ItemStore) throws(KeychainError) {
        let content = try store.open(row)
        _ = try store.secret(row, content, under: key(content.accessibility))
    }

    /// No keychain gets to this number: a row that has a higher one was put there, and is no reason to begin behind it.
    static let unreached: Int64 = 1 << 62

    /// Takes the file as it is for what it should be: builds the index anew for every row that opens, keeps the items
    /// that do not open, drops grants, lines of the log and past items that nobody can read, and writes a head.
    func repair(_ caller: Caller) throws(KeychainError) -> KeychainReport {
        guard let store else { throw .locked }
        guard !isReadOnly else { throw .storage(.readOnly(path: path)) }
        deferCopy()
        let report = try verify()
        let known = try? store.head()
        var next = Head()
        next.counter = max(known?.counter ?? 0, head.counter) + 1
        next.hardwareCounter = max(known?.hardwareCounter ?? 0, head.hardwareCounter)
        // What is accepted is the newest there is: the counter goes on from it, or is set up anew where it lies behind.
        next.hardwareKey = known?.hardwareKey ?? head.hardwareKey
        let accepted = try database.changing { () throws(KeychainError) in
            var rows: [Found] = []
            var highest: Int64 = 0
            try store.forEachRow { row throws(KeychainError) in
                if row.number < Self.unreached { highest = max(highest, row.number) }
                if let content = try? store.open(row) { rows.append((row, content)) }
                return true
            }
            try mapping { () throws(StorageError) in
                for (row, content) in rows {
                    try database.execute("DELETE FROM item_index WHERE item = ?1", row.number)
                    for entry in store.entries(content) {
                        try database.execute("INSERT INTO item_index VALUES (?1, ?2)", entry, row.number)
                    }
                }
                try database.execute(
                    "DELETE FROM item_index WHERE NOT EXISTS (SELECT 1 FROM item WHERE number = item_index.item)"
                )
            }
            try store.discardUnreadableRecords()
            highest = max(highest, try mendPast(store, lostRows: report.problem != nil))
            next.nextItem = max(known?.nextItem ?? 1, head.nextItem, highest + 1)
            let record = try mapping { () throws(StorageError) in
                try database.first(
                    """
                    SELECT max(n) FROM (
                        SELECT coalesce(max(number), 0) AS n FROM audit WHERE number < ?1
                        UNION ALL SELECT coalesce(max(number), 0) FROM access WHERE number < ?1
                        UNION ALL SELECT coalesce(max(number), 0) FROM slot WHERE number < ?1
                        UNION ALL SELECT coalesce(max(number), 0) FROM past WHERE number < ?1
                    )
                    """,
                    Self.unreached
                ) { row throws(StorageError) in try row.int64(0) } ?? 0
            }
            next.nextRecord = max(known?.nextRecord ?? 1, head.nextRecord, record + 1)
            next.rows = try store.rowsHash()
            try note(.repaired, caller.program, "", &next)
            try store.write(next)
            return next
        }
        accept(accepted)
        return report
    }
}
