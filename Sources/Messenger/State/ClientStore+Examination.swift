import MildamStorage

/// What an examination of a profile's database found.
struct DatabaseExamination {
    /// Sealed values.
    var count = 0
    /// Those that do not open under the profile's key.
    var damaged = 0

    /// Adds what was found in another part.
    mutating func add(_ other: DatabaseExamination) {
        count += other.count
        damaged += other.damaged
    }
}

extension ClientStore {
    /// What is examined as one piece of work: whoever waits for the profile has it in between.
    enum ExaminedPart: CaseIterable {
        case file
        case records
        case entries
        case outbox
        case envelopes
        case rooms
    }

    /// Reads the whole database, and opens each sealed value in it.
    ///
    /// - Throws: `storage` with `damaged` where the file contradicts itself.
    func examine() throws(MessengerError) -> DatabaseExamination {
        var found = DatabaseExamination()
        for part in ExaminedPart.allCases { found.add(try examine(part)) }
        return found
    }

    /// Reads a part of the database, and opens each sealed value in it.
    ///
    /// - Throws: as ``examine()``.
    func examine(_ part: ExaminedPart) throws(MessengerError) -> DatabaseExamination {
        do {
            switch part {
            case .file:
                try database.checkIntegrity()
                return DatabaseExamination()
            case .records: return DatabaseExamination(of: try openedRecords())
            case .entries: return DatabaseExamination(of: try openedEntries())
            case .outbox: return DatabaseExamination(of: try openedOutbox())
            case .envelopes: return DatabaseExamination(of: try openedEnvelopes())
            case .rooms:
                let rooms = try self.rooms.examine()
                return DatabaseExamination(count: rooms.count, damaged: rooms.damaged)
            }
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

extension DatabaseExamination {
    /// Of values, each of which opens or does not.
    fileprivate init(of opened: [Bool]) { self.init(count: opened.count, damaged: opened.count { !$0 }) }
}
