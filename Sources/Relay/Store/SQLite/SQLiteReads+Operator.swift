import MildamIdentity
import MildamRelayAPI
import MildamStorage

extension SQLiteReads {
    func accounts(after start: Handle?) throws(StorageError) -> [AccountSummary] {
        try database.rows(
            """
            SELECT handle, account, (SELECT count(*) FROM sessions WHERE sessions.account = accounts.account),
            EXISTS (SELECT 1 FROM second_factors WHERE second_factors.account = accounts.account AND is_active = 1)
            FROM accounts WHERE length(bundle) > 0 AND handle > ? ORDER BY handle LIMIT ?
            """,
            start?.text ?? "",
            OperatorRequest.page
        ) { row throws(StorageError) in
            AccountSummary(
                handle: try row.handle(0),
                account: try row.identifier(1),
                sessions: try row.int(2),
                hasSecondFactor: try row.int(3) != 0
            )
        }
    }

    /// Deleted accounts are counted by the index of handles, which has their tombstones in one place: to look at each row
    /// would be to read every bundle.
    func counts() throws(StorageError) -> StoreCounts {
        let counts = try database.first(
            """
            SELECT (SELECT count(*) FROM accounts) - (SELECT count(*) FROM accounts WHERE handle > ?1 AND handle < ?2),
            (SELECT count(*) FROM sessions), (SELECT count(*) FROM rooms), (SELECT coalesce(sum(bytes), 0) FROM usage)
            """,
            RelaySecrets.tombstonePrefix,
            RelaySecrets.tombstonePrefix + "~"
        ) { row throws(StorageError) in
            StoreCounts(
                accounts: try row.int(0),
                sessions: try row.int(1),
                rooms: try row.int(2),
                bytes: try row.int(3)
            )
        }
        guard let counts else { throw .misuse("a count without a row") }
        return counts
    }

    func details(of handle: Handle) throws(StorageError) -> AccountDetails? {
        try snapshot { () throws(StorageError) in
            let account: AccountID? = try database.first(
                "SELECT account FROM accounts WHERE handle = ?",
                handle.text
            ) { row throws(StorageError) in try row.identifier(0) }
            guard let account else { return nil }
            let counts: (rooms: Int, files: Int, bytes: Int)? = try database.first(
                """
                SELECT (SELECT count(*) FROM members WHERE account = ?1), count(*), coalesce(sum(size), 0)
                FROM blobs WHERE account = ?1
                """,
                account.column
            ) { row throws(StorageError) in (try row.int(0), try row.int(1), try row.int(2)) }
            return AccountDetails(
                handle: handle,
                account: account,
                devices: try database.rows(
                    "SELECT device FROM devices WHERE account = ? ORDER BY device",
                    account.column
                ) { row throws(StorageError) in try row.identifier(0) },
                sessions: try sessions(of: account, current: nil),
                secondFactor: try secondFactor(of: account),
                rooms: counts?.rooms ?? 0,
                files: counts?.files ?? 0,
                fileBytes: counts?.bytes ?? 0
            )
        }
    }
}
