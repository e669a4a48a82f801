import FoundationEssentials
import MildamIdentity
import MildamStorage

/// The rooms of the first kind in a profile's database: its own records and entries, read and never written.
///
/// What does not open is left out, or is a message that is missing: nothing keeps the rest from being read.
public struct OlderRooms {
    private let database: Database
    private let records: RowSealer
    private let entries: RowSealer
    private let outbox: RowSealer
    private let name: (_ table: String, _ name: [UInt8]) -> [UInt8]

    /// The rooms in a database.
    ///
    /// - Parameters:
    ///   - records: what opens the table `records`.
    ///   - entries: what opens the table `entries`.
    ///   - outbox: what opens the table `outbox`.
    ///   - name: the name under which a table knows something.
    public init(
        database: Database,
        records: RowSealer,
        entries: RowSealer,
        outbox: RowSealer,
        name: @escaping (_ table: String, _ name: [UInt8]) -> [UInt8]
    ) {
        self.database = database
        self.records = records
        self.entries = entries
        self.outbox = outbox
        self.name = name
    }

    /// All rooms, by id.
    public func all() throws(StorageError) -> [OlderLedger] {
        let sealed = try database.rows("SELECT name, value FROM records WHERE kind = ?", "room") {
            row throws(StorageError) in (try row.bytes(0), try row.data(1))
        }
        let unsent = try self.unsent()
        var ledgers: [OlderLedger] = []
        for (name, value) in sealed {
            guard let opened = try? records.open(value, column: "value", row: .text("room"), .bytes(name)),
                var ledger = try? JSONDecoder().decode(OlderLedger.self, from: opened)
            else { continue }
            if let last = ledger.numbers?.upperBound {
                ledger.newest = try rows(of: ledger, in: last...last).last?.entry
            }
            ledger.unsent = unsent.filter { $0.room == ledger.room }
            ledgers.append(ledger)
        }
        return ledgers.sorted { $0.room < $1.room }
    }

    /// What a room has under these numbers, ascending: a row for each number of them that this device's view has.
    public func rows(of ledger: OlderLedger, in numbers: ClosedRange<UInt64>) throws(StorageError) -> [OlderRow] {
        guard let whole = ledger.numbers, whole.overlaps(numbers) else { return [] }
        let wanted = numbers.clamped(to: whole)
        let key = name("entries", ledger.room.bytes)
        let sealed = try database.rows(
            "SELECT number, value FROM entries WHERE room = ? AND number BETWEEN ? AND ? ORDER BY number",
            key,
            Int64(clamping: wanted.lowerBound),
            Int64(clamping: wanted.upperBound)
        ) { row throws(StorageError) in (try row.int64(0), try row.data(1)) }
        var rows: [OlderRow] = []
        var next = wanted.lowerBound
        for (place, value) in sealed {
            let number = UInt64(clamping: place)
            rows += (next..<max(next, number)).map { OlderRow.damaged(number: $0) }
            rows.append(entry(value, key, place).map { OlderRow.entry($0) } ?? OlderRow.damaged(number: number))
            next = number + 1
        }
        if next <= wanted.upperBound { rows += (next...wanted.upperBound).map { OlderRow.damaged(number: $0) } }
        return rows
    }

    private func unsent() throws(StorageError) -> [OlderUnsent] {
        try database.rows("SELECT place, value FROM outbox ORDER BY place") { row throws(StorageError) in
            (try row.int64(0), try row.data(1))
        }.compactMap { place, value in
            guard let opened = try? outbox.open(value, column: "value", row: .integer(place)) else { return nil }
            return try? JSONDecoder().decode(OlderUnsent.self, from: opened)
        }
    }

    private func entry(_ sealed: Data, _ room: [UInt8], _ place: Int64) -> OlderEntry? {
        guard let opened = try? entries.open(sealed, column: "value", row: .bytes(room), .integer(place)),
            let entry = try? JSONDecoder().decode(OlderEntry.self, from: opened),
            entry.number == UInt64(clamping: place)
        else { return nil }
        return entry
    }
}
