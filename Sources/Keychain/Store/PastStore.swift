import FoundationEssentials
import MildamCrypto
import MildamStorage
import MildamWire

/// The rows of `past`: what items were before they were removed or got another value. No index leads to them. Every call
/// stands inside a transaction of its caller's, who also writes the head.
final class PastStore {
    private let database: Database
    private let sealer: RowSealer
    private var hasher: RowHasher
    /// The numbers of what is kept of each item, ascending; `nil` until they are asked for. The table has no index, and who
    /// changes many items would read it once for each.
    private var numbersOfItems: [Int64: [Int64]]?

    init(_ database: Database, _ metadata: SymmetricKey) {
        self.database = database
        sealer = RowSealer(rootKey: metadata, table: "past", path: database.path)
        hasher = RowHasher(metadata)
    }

    // MARK: One row

    /// Keeps a row of `item`, which its caller takes away there.
    @discardableResult
    func keep(_ item: ItemRow, at time: Int64, _ head: inout Head) throws(KeychainError) -> PastRow {
        let number = head.nextRecord
        head.nextRecord += 1
        let row = PastRow(number: number, item: item, note: try note(time, number, item))
        try insert(row, &head)
        return row
    }

    /// Writes a row that was put away before, as it was.
    ///
    /// - Returns: whether its note opens there; if not, nothing is written.
    func restore(_ row: PastRow, _ head: inout Head) throws(KeychainError) -> Bool {
        guard time(of: row) != nil else { return false }
        try insert(row, &head)
        // It is not always the newest.
        forgetNumbers()
        return true
    }

    private func insert(_ row: PastRow, _ head: inout Head) throws(KeychainError) {
        try mapping { () throws(StorageError) in
            try database.execute(
                "INSERT INTO past VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
                row.number,
                row.item.number,
                row.item.version,
                row.item.itemClass,
                row.item.accessibility,
                row.item.attributes,
                row.item.key,
                row.item.secret,
                row.note
            )
        }
        numbersOfItems?[row.item.number, default: []].append(row.number)
        head.rows.toggle(hasher.code(row))
    }

    /// The row of a number.
    func row(_ number: Int64) throws(KeychainError) -> PastRow? {
        try mapping { () throws(StorageError) in
            try database.first("SELECT * FROM past WHERE number = ?1", number) { row throws(StorageError) in
                try PastRow(row)
            }
        }
    }

    /// When a row was put away, in milliseconds since 1970; `nil` where that does not open.
    func time(of row: PastRow) -> Int64? {
        let opened = try? sealer.open(
            Data(row.note),
            column: "note",
            row: .integer(row.number),
            .integer(row.item.number),
            .integer(row.item.version)
        )
        guard let opened, let note = try? PastNote(wireBytes: [UInt8](opened)) else { return nil }
        return note.time
    }

    private func note(_ time: Int64, _ number: Int64, _ item: ItemRow) throws(KeychainError) -> [UInt8] {
        let sealed = try mapping { () throws(StorageError) in
            try sealer.seal(
                Data(PastNote(time: time).wireBytes),
                column: "note",
                row: .integer(number),
                .integer(item.number),
                .integer(item.version)
            )
        }
        return [UInt8](sealed)
    }

    /// Takes a row away, if it is there.
    func remove(_ number: Int64, _ head: inout Head) throws(KeychainError) {
        guard let row = try self.row(number) else { return }
        try mapping { () throws(StorageError) in
            try database.execute("DELETE FROM past WHERE number = ?1", number)
        }
        numbersOfItems?[row.item.number]?.removeAll { $0 == number }
        head.rows.toggle(hasher.code(row))
    }

    /// Writes another time into a row. The head is not told: it is for whoever writes a new one.
    func date(_ row: PastRow, at time: Int64) throws(KeychainError) {
        let note = try note(time, row.number, row.item)
        try mapping { () throws(StorageError) in
            try database.execute("UPDATE past SET note = ?1 WHERE number = ?2", note, row.number)
        }
    }

    // MARK: The rows of an item

    /// Forgets which rows are of which item: another program has changed the file, or a change was taken back.
    func forgetNumbers() { numbersOfItems = nil }

    /// The numbers of what is kept of an item, ascending.
    private func numbers(of item: Int64) throws(KeychainError) -> [Int64] {
        if let known = numbersOfItems { return known[item] ?? [] }
        var numbers: [Int64: [Int64]] = [:]
        for place in try places() { numbers[place.item, default: []].append(place.number) }
        numbersOfItems = numbers
        return numbers[item] ?? []
    }

    /// Leaves the newest rows of an item, so many at most.
    func trim(_ item: Int64, to count: Int, _ head: inout Head) throws(KeychainError) {
        for number in try numbers(of: item).dropLast(count) { try remove(number, &head) }
    }

    /// Has the newest row of an item be kept as if it had been put away now.
    func renew(newestOf item: Int64, at time: Int64, _ head: inout Head) throws(KeychainError) {
        guard let number = try numbers(of: item).last else { return }
        try renew(number, at: time, &head)
    }

    /// Has a row be kept as if it had been put away now.
    func renew(_ number: Int64, at time: Int64, _ head: inout Head) throws(KeychainError) {
        guard let row = try self.row(number) else { return }
        try remove(number, &head)
        try keep(row.item, at: time, &head)
    }

    /// The highest version of an item that is kept; 0 where none is.
    func newestVersion(of item: Int64) throws(KeychainError) -> Int64 {
        try mapping { () throws(StorageError) in
            try database.first("SELECT coalesce(max(version), 0) FROM past WHERE item = ?1", item) {
                row throws(StorageError) in try row.int64(0)
            } ?? 0
        }
    }

    /// Takes away everything that is kept of items.
    func removeAll(of items: Set<Int64>, _ head: inout Head) throws(KeychainError) {
        for item in items {
            for number in try numbers(of: item) { try remove(number, &head) }
        }
    }

    /// The items of which something is kept that one key opens.
    func items(under accessibility: Accessibility) throws(KeychainError) -> [Int64] {
        try mapping { () throws(StorageError) in
            try database.rows(
                "SELECT DISTINCT item FROM past WHERE accessibility = ?1",
                Int64(accessibility.rawValue)
            ) { row throws(StorageError) in try row.int64(0) }
        }
    }

    /// Takes away everything that one key opens.
    func removeAll(under accessibility: Accessibility, _ head: inout Head) throws(KeychainError) {
        let numbers = try mapping { () throws(StorageError) in
            try database.rows("SELECT number FROM past WHERE accessibility = ?1", Int64(accessibility.rawValue)) {
                row throws(StorageError) in try row.int64(0)
            }
        }
        for number in numbers { try remove(number, &head) }
    }

    // MARK: All rows

    /// The number of each row and of its item, in the order in which they were put away.
    func places() throws(KeychainError) -> [(number: Int64, item: Int64)] {
        try mapping { () throws(StorageError) in
            try database.rows("SELECT number, item FROM past ORDER BY number") { row throws(StorageError) in
                (number: try row.int64(0), item: try row.int64(1))
            }
        }
    }

    /// The newest row of each item that is not there any more, and the highest version of it that is kept.
    func removed() throws(KeychainError) -> [(number: Int64, item: Int64, version: Int64)] {
        try mapping { () throws(StorageError) in
            try database.rows(
                """
                SELECT max(number), item, max(version) FROM past
                WHERE NOT EXISTS (SELECT 1 FROM item AS kept WHERE kept.number = past.item) GROUP BY item
                """
            ) { row throws(StorageError) in
                (number: try row.int64(0), item: try row.int64(1), version: try row.int64(2))
            }
        }
    }

    /// When the newest row was put away, in milliseconds since 1970; `nil` without one, and where that does not open.
    func newestTime() throws(KeychainError) -> Int64? {
        let newest = try mapping { () throws(StorageError) in
            try database.first("SELECT * FROM past ORDER BY number DESC LIMIT 1") { row throws(StorageError) in
                try PastRow(row)
            }
        }
        guard let newest else { return nil }
        return time(of: newest)
    }

    /// Hands over every row, in the order in which they were put away.
    func forEachRow(_ body: (PastRow) throws(KeychainError) -> Void) throws(KeychainError) {
        var refusal: KeychainError?
        try mapping { () throws(StorageError) in
            try database.forEach("SELECT * FROM past ORDER BY number") { row throws(StorageError) in
                let row = try PastRow(row)
                do throws(KeychainError) {
                    try body(row)
                    return true
                } catch {
                    refusal = error
                }
                return false
            }
        }
        if let refusal { throw refusal }
    }

    /// Puts every row into what all rows come to. As of other tables, each row has to be where a search looks for it.
    ///
    /// - Throws: `changedFromOutside` where one is not.
    func add(to sum: inout SetHash) throws(KeychainError) {
        var rows = 0
        var order = Ascent()
        try mapping { () throws(StorageError) in
            try database.forEach("SELECT * FROM past") { row throws(StorageError) in
                rows += 1
                order.take(try row.int64(0))
                sum.toggle(try hasher.code(past: row))
                return true
            }
        }
        let found = try mapping { () throws(StorageError) in
            try database.first(
                """
                SELECT count(*) FROM (SELECT number FROM past ORDER BY number DESC LIMIT -1) AS a
                CROSS JOIN past AS b ON b.number = a.number
                """
            ) { row throws(StorageError) in try row.int(0) }
        }
        guard order.isUnbroken, found == rows else {
            throw .changedFromOutside(reason: "rows are not where a search looks for them")
        }
    }
}
