import MildamIdentity
import MildamRelayAPI
import MildamStorage

extension SQLiteReads {
    func standings(of account: AccountID, after start: StandingID?) throws(StorageError) -> [StandingEntry] {
        try database.rows(
            "SELECT standing, is_blocked FROM standings WHERE account = ? AND standing > ? ORDER BY standing LIMIT ?",
            account.column,
            start?.bytes ?? [],
            Limits.standings
        ) { row throws(StorageError) in
            StandingEntry(id: try row.identifier(0), standing: try row.int(1) != 0 ? .blocked : .known)
        }
    }
}
