import FoundationEssentials
import MildamClientCore
import MildamIdentity
import MildamStorage
import MildamWire

/// Entries: who said it and when, and then what was said, as bytes. Those of one number are one row.
extension RoomStore {
    /// Which entries of a room are wanted: rows of consecutive numbers.
    public enum Window: Hashable, Sendable {
        /// So many, the last ones.
        case last(Int)
        /// So many below a number.
        case before(UInt64, Int)
        /// So many above a number.
        case after(UInt64, Int)
        /// A number, with so many below it and above it.
        case around(UInt64, Int)
    }

    /// A part of a room's entries, ascending. What does not open is an entry that says so.
    public func entries(of room: RoomID, _ window: Window) throws(StorageError) -> [ShownEntry] {
        guard let place = places[room] else { return [] }
        switch window {
        case .last(let count): return try below(.max, count, place)
        case .before(let number, let count): return try below(number, count, place)
        case .after(let number, let count): return try above(number, count, place)
        case .around(let number, let count):
            let next = number < .max ? number + 1 : number
            return try below(next, count + 1, place) + above(number, count, place)
        }
    }

    /// The entries of a room under these numbers.
    public func entries(of room: RoomID, in numbers: [ClosedRange<UInt64>]) throws(StorageError) -> [ShownEntry] {
        guard let place = places[room] else { return [] }
        var entries: [ShownEntry] = []
        for range in numbers where range.lowerBound <= LogPage.highestNumber {
            entries += try database.rows(
                "SELECT place, value FROM room_entries WHERE place BETWEEN ? AND ? ORDER BY place",
                try NumberedRow.key(place, range.lowerBound),
                try NumberedRow.key(place, min(range.upperBound, LogPage.highestNumber))
            ) { row throws(StorageError) in self.entries(try row.bytes(1), at: try row.int64(0)) }.flatMap { $0 }
        }
        return entries
    }

    private func below(_ number: UInt64, _ count: Int, _ place: Int64) throws(StorageError) -> [ShownEntry] {
        let keys = try NumberedRow.keys(place)
        let end = try number > LogPage.highestNumber ? keys.upperBound + 1 : NumberedRow.key(place, number)
        let rows = try database.rows(
            "SELECT place, value FROM room_entries WHERE place >= ? AND place < ? ORDER BY place DESC LIMIT ?",
            keys.lowerBound,
            end,
            max(0, count)
        ) { row throws(StorageError) in self.entries(try row.bytes(1), at: try row.int64(0)) }
        return rows.reversed().flatMap { $0 }
    }

    private func above(_ number: UInt64, _ count: Int, _ place: Int64) throws(StorageError) -> [ShownEntry] {
        guard number < LogPage.highestNumber else { return [] }
        return try database.rows(
            "SELECT place, value FROM room_entries WHERE place > ? AND place <= ? ORDER BY place LIMIT ?",
            try NumberedRow.key(place, number),
            try NumberedRow.keys(place).upperBound,
            max(0, count)
        ) { row throws(StorageError) in self.entries(try row.bytes(1), at: try row.int64(0)) }.flatMap { $0 }
    }

    /// What a row has; one entry that says so, where it is damaged.
    private func entries(_ sealed: [UInt8], at key: Int64) -> [ShownEntry] {
        let number = NumberedRow.number(in: key)
        let value = RoomStore.opened(Data(sealed), by: keys.entries, .integer(key))
        return value.flatMap { try? RoomStore.decoded($0) } ?? [ShownEntry(damagedAt: number)]
    }

    private static func decoded(_ value: [UInt8]) throws(WireError) -> [ShownEntry] {
        var reader = WireReader(value.span)
        var entries: [ShownEntry] = []
        while reader.remaining > 0 { entries.append(try ShownEntry(storedForm: try reader.vector())) }
        return entries
    }

    private static func value(_ entries: [ShownEntry]) -> [UInt8] {
        var writer = WireWriter(capacity: 2048)
        for entry in entries { writer.vector(entry.storedForm) }
        return writer.bytes
    }

    /// Adds entries to those of their number.
    func append(_ entries: [ShownEntry], _ number: UInt64, of room: RoomID) throws(StorageError) {
        let key = try NumberedRow.key(try place(of: room), number)
        try database.execute(
            "INSERT INTO room_entries (place, value) VALUES (?, ?) ON CONFLICT DO NOTHING",
            key,
            try RoomStore.sealed(RoomStore.value(entries), by: keys.entries, .integer(key))
        )
        guard database.changes == 0 else { return }
        let known = try database.first("SELECT value FROM room_entries WHERE place = ?", key) {
            row throws(StorageError) in self.entries(try row.bytes(0), at: key)
        }
        let all = (known ?? []) + entries.filter { !(known ?? []).contains($0) }
        try database.execute(
            "UPDATE room_entries SET value = ? WHERE place = ?",
            try RoomStore.sealed(RoomStore.value(all), by: keys.entries, .integer(key)),
            key
        )
    }

    /// The highest number of a room's entries; 0 where it has none.
    func lastNumber(at place: Int64) throws(StorageError) -> UInt64 {
        let range = try NumberedRow.keys(place)
        let last = try database.first(
            "SELECT place FROM room_entries WHERE place BETWEEN ? AND ? ORDER BY place DESC LIMIT 1",
            range.lowerBound,
            range.upperBound
        ) { row throws(StorageError) in try row.int64(0) }
        return last.map { NumberedRow.number(in: $0) } ?? 0
    }
}
