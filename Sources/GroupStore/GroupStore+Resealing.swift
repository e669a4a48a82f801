import MildamCrypto
import MildamMLS
import MildamStorage

/// Groups under another root key.
extension GroupStore {
    /// Seals everything that another store of the same database has under this one's root key, in a transaction of the caller's.
    /// What does not open stays as it is, and is damaged for whoever looks for it. ``eraseRemains(patience:)`` is due then.
    public func takeOver(from old: GroupStore) throws(StorageError) {
        hasRemains = true
        let numbers = try database.rows("SELECT number FROM mls_keys ORDER BY number") { row throws(StorageError) in
            try row.int64(0)
        }
        for number in numbers { try takeOver(number, from: old) }
    }

    private func takeOver(_ number: Int64, from old: GroupStore) throws(StorageError) {
        do throws(StorageError) {
            guard let row = try old.keyRow(numbered: number) else { return }
            let records = try old.records(under: row)
            try database.execute("DELETE FROM mls_keys WHERE number = ?", number)
            let next = try makeKey(row.group, row.term)
            for record in records { try store(record, under: next) }
        } catch .damaged {
            // Another store's, or damaged.
        }
    }

    /// Opens each key and each record.
    ///
    /// - Returns: how many there are, and how many of them do not open: those of other root keys among them.
    public func examine() throws(StorageError) -> (count: Int, damaged: Int) {
        let numbers = try database.rows("SELECT number FROM mls_keys ORDER BY number") { row throws(StorageError) in
            try row.int64(0)
        }
        var damaged = 0
        for number in numbers {
            if try !opens(number) { damaged += 1 }
        }
        return (numbers.count, damaged)
    }

    private func opens(_ number: Int64) throws(StorageError) -> Bool {
        do throws(StorageError) {
            guard let row = try keyRow(numbered: number) else { return true }
            _ = try records(under: row)
            return true
        } catch .damaged {
            return false
        }
    }
}
