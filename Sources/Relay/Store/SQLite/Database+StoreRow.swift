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
}
