import MildamStorage

/// What an examination of a profile's database found.
struct DatabaseExamination {
    /// Sealed values.
    let count: Int
    /// Those that do not open under the profile's key.
    let damaged: Int
}

extension ClientStore {
    /// Reads the whole database, and opens each sealed value in it.
    ///
    /// - Throws: `storage` with `damaged` where the file contradicts itself.
    func examine() throws(MessengerError) -> DatabaseExamination {
        do {
            try database.checkIntegrity()
            let opened = try openedRecords() + openedEntries() + openedOutbox() + openedEnvelopes()
            let rooms = try self.rooms.examine()
            return DatabaseExamination(
                count: opened.count + rooms.count,
                damaged: opened.count { !$0 } + rooms.damaged
            )
        } catch {
            throw MessengerError(error)
        }
    }

    /// Whether each opens.
    private func openedRecords() throws(StorageError) -> [Bool] {
        try database.rows("SELECT kind, name, value FROM records") { row throws(StorageError) in
            let place: [RowSealer.KeyPart] = [.text(try row.text(0)), .bytes(try row.bytes(1))]
            return keys.records.opens(try row.data(2), column: "value", place: place)
        }
    }

    private func openedEntries() throws(StorageError) -> [Bool] {
        try database.rows("SELECT room, number, value FROM entries") { row throws(StorageError) in
            let place: [RowSealer.KeyPart] = [.bytes(try row.bytes(0)), .integer(try row.int64(1))]
            return keys.entries.opens(try row.data(2), column: "value", place: place)
        }
    }

    private func openedOutbox() throws(StorageError) -> [Bool] {
        try database.rows("SELECT place, value FROM outbox") { row throws(StorageError) in
            keys.outbox.opens(try row.data(1), column: "value", place: [.integer(try row.int64(0))])
        }
    }

    private func openedEnvelopes() throws(StorageError) -> [Bool] {
        try database.rows("SELECT room, generation, digest, value FROM envelopes") { row throws(StorageError) in
            let place: [RowSealer.KeyPart] = [
                .bytes(try row.bytes(0)), .integer(try row.int64(1)), .bytes(try row.bytes(2)),
            ]
            return keys.envelopes.opens(try row.data(3), column: "value", place: place)
        }
    }
}
