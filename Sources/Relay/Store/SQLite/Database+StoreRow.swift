import MildamStorage

extension Database {
    /// What a relay's database says of itself.
    func storeRow() throws(StorageError) -> StoreRow {
        let found = try first("SELECT incarnation, mark, restored FROM store") { row throws(StorageError) in
            StoreRow(incarnation: try row.identifier(0), mark: try row.count(1), restored: try row.int64(2))
        }
        guard let found else { throw .damaged(path: path, reason: "it does not say which store it is") }
        return found
    }

    /// Has the database say so of itself.
    func put(_ row: StoreRow) throws(StorageError) {
        try execute(
            "UPDATE store SET incarnation = ?, mark = ?, restored = ?",
            row.incarnation.column,
            Int64(lookup: row.mark),
            row.restored
        )
    }

    /// Has the database say so of itself, where it said something else before.
    ///
    /// Where it is another store from here on, its key packages go, but for those of last resort: which of them were claimed since it
    /// was copied nobody knows, and what a device has used up opens no second Welcome (H41).
    func put(_ row: StoreRow, replacing before: StoreRow) throws(StorageError) {
        guard row.incarnation != before.incarnation else { return try put(row) }
        try transaction { () throws(StorageError) in
            try put(row)
            try dropKeyPackages()
        }
    }

    /// Takes out what is claimed once, and gives it back to whom it counted for.
    private func dropKeyPackages() throws(StorageError) {
        try execute(
            """
            UPDATE networks SET pieces = networks.pieces - freed.pieces FROM (
                SELECT usage.network AS network, sum((max(0, usage.bytes) + ?2 - 1) / ?2
                    - (max(0, usage.bytes - gone.size) + ?2 - 1) / ?2) AS pieces
                FROM usage JOIN (SELECT account, sum(?1 + length(bytes)) AS size FROM key_packages
                    WHERE is_last_resort = 0 GROUP BY account) AS gone ON gone.account = usage.account
                WHERE usage.network IS NOT NULL GROUP BY usage.network
            ) AS freed WHERE networks.network = freed.network
            """,
            DiskUsage.row,
            DiskUsage.piece
        )
        try execute(
            """
            UPDATE usage SET bytes = usage.bytes - gone.size FROM (
                SELECT account, sum(? + length(bytes)) AS size FROM key_packages
                WHERE is_last_resort = 0 GROUP BY account
            ) AS gone WHERE usage.account = gone.account
            """,
            DiskUsage.row
        )
        try execute("DELETE FROM key_packages WHERE is_last_resort = 0")
    }
}
