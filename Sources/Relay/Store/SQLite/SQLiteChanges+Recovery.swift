import MildamIdentity
import MildamStorage

/// Writes down what was lost, and how far devices have read.
extension SQLiteChanges {
    func apply(_ changes: RecoveryChanges) throws(StorageError) {
        for row in changes.lost { try insert(row) }
        for (name, number) in changes.cursors {
            try database.execute(
                """
                INSERT INTO cursors (room, account, device, number) VALUES (?, ?, ?, ?)
                ON CONFLICT (room, account, device) DO UPDATE SET number = excluded.number
                WHERE excluded.number > cursors.number
                """,
                name.room.column,
                name.address.account.column,
                name.address.device.column,
                Int64(lookup: number)
            )
        }
    }

    /// A gap that goes on from another is one with it.
    private func insert(_ row: RecoveryChanges.LostRow) throws(StorageError) {
        let (first, last) = (row.numbers.lowerBound, row.numbers.upperBound)
        try database.execute(
            """
            UPDATE lost SET last = ?1 WHERE room = ?2 AND last = ?3 AND first =
                (SELECT first FROM lost WHERE room = ?2 AND first <= ?3 ORDER BY first DESC LIMIT 1)
            """,
            Int64(lookup: last),
            row.room.column,
            Int64(lookup: first - 1)
        )
        guard database.changes == 0 else { return }
        try database.execute(
            "INSERT INTO lost (room, first, last) VALUES (?, ?, ?)",
            row.room.column,
            Int64(lookup: first),
            Int64(lookup: last)
        )
    }
}
