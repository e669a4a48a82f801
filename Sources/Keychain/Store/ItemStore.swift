import FoundationEssentials
import MildamCrypto
import MildamStorage
import MildamWire

/// The rows of an open keychain: sealed, opened, put into the index and into the set hash. Every call stands inside a
/// transaction of its caller's, who also writes the head.
final class ItemStore {
    let database: Database
    let identifier: KeychainIdentifier
    /// What items were.
    let past: PastStore
    private let sealer: RowSealer
    private let headSealer: RowSealer
    private let accessSealer: RowSealer
    private let auditSealer: RowSealer
    private var opener: RowSealer.Opener
    private var hasher: RowHasher
    private var index: BlindIndex

    init(_ database: Database, _ identifier: KeychainIdentifier, _ metadata: SymmetricKey) throws(KeychainError) {
        self.database = database
        self.identifier = identifier
        past = PastStore(database, metadata)
        sealer = RowSealer(rootKey: metadata, table: "item", path: database.path)
        headSealer = RowSealer(rootKey: metadata, table: "head", path: database.path)
        accessSealer = RowSealer(rootKey: metadata, table: "access", path: database.path)
        auditSealer = RowSealer(rootKey: metadata, table: "audit", path: database.path)
        do throws(StorageError) { opener = try RowSealer.Opener(sealer) } catch { throw .storage(error) }
        hasher = RowHasher(metadata)
        index = BlindIndex(metadata)
    }

    // MARK: Items

    /// Seals an item as a row.
    func seal(
        _ content: ItemContent,
        number: Int64,
        version: Int64,
        secret: SecretValue,
        under key: SymmetricKey
    ) throws(KeychainError) -> ItemRow {
        let (itemClass, accessibility) = (Int64(content.itemClass.rawValue), Int64(content.accessibility.rawValue))
        let place = content.secretPlace(number, version)
        let own = SecretBytes.random(count: 32)
        let wrapped = try KeyWrap.wrap(own, under: key, for: place)
        let sealed = try SecretBox.seal(secret, under: SymmetricKey(own), place)
        let attributes = try mapping { () throws(StorageError) in
            try sealer.seal(
                Data(content.sealedPart),
                column: "attributes",
                row: .integer(number),
                .integer(version),
                .integer(itemClass),
                .integer(accessibility)
            )
        }
        return ItemRow(
            number: number,
            version: version,
            itemClass: itemClass,
            accessibility: accessibility,
            attributes: [UInt8](attributes),
            key: wrapped,
            secret: sealed
        )
    }

    /// What a row says about its item.
    ///
    /// - Throws: `damagedItem`.
    func open(_ row: ItemRow) throws(KeychainError) -> ItemContent {
        let place = ItemContent.place(row.number, row.version, row.itemClass, row.accessibility)
        var content: ItemContent?
        do throws(StorageError) {
            content = try opener.open(row.attributes.span, column: "attributes", row: place) { opened in
                try? ItemContent(row, opened: opened)
            }
        } catch {
            content = nil
        }
        guard let content else { throw .damagedItem(number: row.number) }
        return content
    }

    /// What a row's item protects.
    ///
    /// - Throws: `damagedItem`.
    func secret(_ row: ItemRow, _ content: ItemContent, under key: SymmetricKey) throws(KeychainError) -> SecretValue {
        let place = content.secretPlace(row.number, row.version)
        guard let own = KeyWrap.unwrap(row.key, count: 32, under: key, for: place),
            let secret = SecretBox.open(row.secret, under: SymmetricKey(own), place)
        else { throw .damagedItem(number: row.number) }
        return secret
    }

    /// Writes a new row, and its entries in the index.
    func insert(_ row: ItemRow, _ content: ItemContent, _ head: inout Head) throws(KeychainError) {
        try mapping { () throws(StorageError) in
            try database.execute(
                "INSERT INTO item VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
                row.number,
                row.version,
                row.itemClass,
                row.accessibility,
                row.attributes,
                row.key,
                row.secret
            )
            for entry in index.entries(content) {
                try database.execute("INSERT INTO item_index VALUES (?1, ?2)", entry, row.number)
                head.rows.toggle(hasher.code(index: entry, item: row.number))
            }
        }
        head.rows.toggle(hasher.code(row))
    }

    /// Takes a row away, and its entries in the index.
    func remove(_ row: ItemRow, _ content: ItemContent, _ head: inout Head) throws(KeychainError) {
        try mapping { () throws(StorageError) in
            for entry in index.entries(content) {
                try database.execute("DELETE FROM item_index WHERE hash = ?1 AND item = ?2", entry, row.number)
                if database.changes > 0 { head.rows.toggle(hasher.code(index: entry, item: row.number)) }
            }
        }
        try removeRow(row, &head)
    }

    /// Takes a row away that does not open, with whatever the index has of it.
    func discard(_ row: ItemRow, _ head: inout Head) throws(KeychainError) {
        try mapping { () throws(StorageError) in
            let entries = try database.rows("SELECT hash FROM item_index WHERE item = ?1", row.number) {
                row throws(StorageError) in try row.bytes(0)
            }
            for entry in entries { head.rows.toggle(hasher.code(index: entry, item: row.number)) }
            try database.execute("DELETE FROM item_index WHERE item = ?1", row.number)
        }
        try removeRow(row, &head)
    }

    private func removeRow(_ row: ItemRow, _ head: inout Head) throws(KeychainError) {
        try mapping { () throws(StorageError) in try database.execute("DELETE FROM item WHERE number = ?1", row.number)
        }
        head.rows.toggle(hasher.code(row))
    }

    // MARK: What the index knows

    /// The row of a number.
    func row(_ number: Int64) throws(KeychainError) -> ItemRow? {
        try mapping { () throws(StorageError) in
            try database.first("SELECT * FROM item WHERE number = ?1", number) { row throws(StorageError) in
                try ItemRow(row)
            }
        }
    }

    /// The numbers of the items with an entry, ascending.
    func numbers(_ entry: [UInt8]) throws(KeychainError) -> [Int64] {
        try mapping { () throws(StorageError) in
            try database.rows("SELECT item FROM item_index WHERE hash = ?1", entry) { row throws(StorageError) in
                try row.int64(0)
            }
        }
    }

    /// Hands over the numbers of the items with an entry, ascending, until `body` returns false.
    func forEachNumber(
        _ entry: [UInt8],
        _ body: (Int64) throws(KeychainError) -> Bool
    ) throws(KeychainError) {
        var refusal: KeychainError?
        try mapping { () throws(StorageError) in
            try database.forEach("SELECT item FROM item_index WHERE hash = ?1 ORDER BY item", entry) {
                row throws(StorageError) in
                let number = try row.int64(0)
                do throws(KeychainError) { return try body(number) } catch { refusal = error }
                return false
            }
        }
        if let refusal { throw refusal }
    }

    /// How many items have an entry, as far as 32.
    func estimate(_ entry: [UInt8]) throws(KeychainError) -> Int {
        try mapping { () throws(StorageError) in
            try database.first(
                "SELECT count(*) FROM (SELECT 1 FROM item_index WHERE hash = ?1 LIMIT 32)",
                entry
            ) { row throws(StorageError) in try row.int(0) } ?? 0
        }
    }

    /// Hands over every row, in the order of the numbers, until `body` returns false.
    func forEachRow(_ body: (ItemRow) throws(KeychainError) -> Bool) throws(KeychainError) {
        var refusal: KeychainError?
        try mapping { () throws(StorageError) in
            try database.forEach("SELECT * FROM item ORDER BY number") { row throws(StorageError) in
                let row = try ItemRow(row)
                do throws(KeychainError) { return try body(row) } catch { refusal = error }
                return false
            }
        }
        if let refusal { throw refusal }
    }

    /// How many items there are of each accessibility.
    func counts() throws(KeychainError) -> [Accessibility: Int] {
        let counts = try mapping { () throws(StorageError) in
            try database.rows("SELECT accessibility, count(*) FROM item GROUP BY accessibility") {
                row throws(StorageError) in (try row.int64(0), try row.int(1))
            }
        }
        return counts.reduce(into: [:]) { sum, count in
            guard let accessibility = UInt8(exactly: count.0).flatMap(Accessibility.init) else { return }
            sum[accessibility] = count.1
        }
    }

    /// The entry of a primary key.
    func entry(
        primary attributes: ItemAttributes,
        of itemClass: ItemClass,
        _ group: String,
        _ isSynchronizable: Bool
    ) -> [UInt8] {
        index.primary(itemClass, attributes, group, isSynchronizable)
    }

    /// The entry of one attribute's value.
    func entry(_ itemClass: ItemClass, _ attribute: ItemAttribute, _ value: AttributeValue) -> [UInt8] {
        index.hash(itemClass, attribute, value)
    }

    /// Every entry that an item should have.
    func entries(_ content: ItemContent) -> [[UInt8]] { index.entries(content) }

    // MARK: The head

    /// The head, once the file is found to hold one.
    ///
    /// - Throws: `changedFromOutside`.
    func head() throws(KeychainError) -> Head {
        let sealed = try mapping { () throws(StorageError) in
            try database.first("SELECT sealed FROM head WHERE id = 1") { row throws(StorageError) in try row.data(0) }
        }
        guard let sealed else { throw .changedFromOutside(reason: "its head is missing") }
        return try openHead(sealed)
    }

    /// The head that something sealed is.
    ///
    /// - Throws: `changedFromOutside`.
    func openHead(_ sealed: Data) throws(KeychainError) -> Head {
        let bytes: Data
        do throws(StorageError) { bytes = try headSealer.open(sealed, column: "sealed", row: .integer(1)) } catch {
            throw .changedFromOutside(reason: "its head does not open")
        }
        do throws(WireError) { return try Head(wireBytes: [UInt8](bytes)) } catch {
            throw .changedFromOutside(reason: "its head is not one")
        }
    }

    /// Writes the head.
    func write(_ head: Head) throws(KeychainError) {
        try mapping { () throws(StorageError) in
            let sealed = try headSealer.seal(Data(head.wireBytes), column: "sealed", row: .integer(1))
            try database.execute("INSERT OR REPLACE INTO head VALUES (1, ?1)", sealed)
        }
    }

    // MARK: All rows

    /// What all rows come to.
    ///
    /// The sum cannot tell a row that is there twice from one that is not there, and nothing of the order. So each table
    /// has to be what a search in it relies on: its rows ascend, none is there twice, and each item is found by its number.
    ///
    /// - Throws: `changedFromOutside` for a table that is not.
    func rowsHash() throws(KeychainError) -> SetHash {
        var sum = SetHash()
        var items = 0
        var order = Ascent()
        try mapping { () throws(StorageError) in
            try database.forEach("SELECT * FROM item") { row throws(StorageError) in
                items += 1
                order.take(try row.int64(0))
                sum.toggle(try hasher.code(item: row))
                return true
            }
            try database.forEach("SELECT * FROM item_index") { row throws(StorageError) in
                order.take(try row.bytes(0), try row.int64(1))
                sum.toggle(try hasher.code(index: row))
                return true
            }
            order.begin()
            try database.forEach("SELECT * FROM slot") { row throws(StorageError) in
                let slot = try SlotRow(row)
                order.take(slot.number)
                sum.toggle(hasher.code(slot))
                return true
            }
        }
        for table in [RowHasher.Table.access, .audit] {
            order.begin()
            try forEachRecord(table) { number, sealed in
                order.take(number)
                sum.toggle(hasher.code(table, number, sealed))
            }
        }
        try past.add(to: &sum)
        // Each by its number, as a search finds it: from the last to the first, for SQLite does not go by the signposts of
        // the tree where the next number is one higher. Without a limit it would drop the order.
        let found = try mapping { () throws(StorageError) in
            try database.first(
                """
                SELECT count(*) FROM (SELECT number FROM item ORDER BY number DESC LIMIT -1) AS a
                CROSS JOIN item AS b ON b.number = a.number
                """
            ) { row throws(StorageError) in try row.int(0) }
        }
        guard order.isUnbroken, found == items else {
            throw .changedFromOutside(reason: "rows are not where a search looks for them")
        }
        return sum
    }

    private func forEachRecord(
        _ table: RowHasher.Table,
        _ body: (Int64, [UInt8]) -> Void
    ) throws(KeychainError) {
        try mapping { () throws(StorageError) in
            if table == .access {
                try database.forEach("SELECT * FROM access") { row throws(StorageError) in
                    body(try row.int64(0), try row.bytes(1))
                    return true
                }
            } else {
                try database.forEach("SELECT * FROM audit") { row throws(StorageError) in
                    body(try row.int64(0), try row.bytes(1))
                    return true
                }
            }
        }
    }

    // MARK: Slots

    /// Writes a slot.
    func insert(_ slot: SlotRow, _ head: inout Head) throws(KeychainError) {
        try mapping { () throws(StorageError) in
            try database.execute("INSERT INTO slot VALUES (?1, ?2, ?3)", slot.number, slot.parameters, slot.sealed)
        }
        head.rows.toggle(hasher.code(slot))
    }

    /// Takes a slot away.
    func remove(_ slot: SlotRow, _ head: inout Head) throws(KeychainError) {
        try mapping { () throws(StorageError) in try database.execute("DELETE FROM slot WHERE number = ?1", slot.number)
        }
        head.rows.toggle(hasher.code(slot))
    }

    /// All slots, in the order of their numbers.
    func slots() throws(KeychainError) -> [SlotRow] {
        try mapping { () throws(StorageError) in
            try database.rows("SELECT * FROM slot ORDER BY number") { row throws(StorageError) in try SlotRow(row) }
        }
    }

    /// Takes other slots in the place of all there are.
    func replaceSlots(by slots: [SlotRow], _ head: inout Head) throws(KeychainError) {
        for slot in try self.slots() { try remove(slot, &head) }
        for slot in slots { try insert(slot, &head) }
    }

    // MARK: Records of access

    /// Writes a record under the next number.
    func append(_ table: RowHasher.Table, _ record: [UInt8], _ head: inout Head) throws(KeychainError) {
        let number = head.nextRecord
        head.nextRecord += 1
        let sealed = try mapping { () throws(StorageError) in
            try sealer(of: table).seal(Data(record), column: "sealed", row: .integer(number))
        }
        try insert(table, number, sealed, &head)
    }

    private func insert(
        _ table: RowHasher.Table,
        _ number: Int64,
        _ sealed: Data,
        _ head: inout Head
    ) throws(KeychainError) {
        try mapping { () throws(StorageError) in
            if table == .access {
                try database.execute("INSERT INTO access VALUES (?1, ?2)", number, sealed)
            } else {
                try database.execute("INSERT INTO audit VALUES (?1, ?2)", number, sealed)
            }
        }
        head.rows.toggle(hasher.code(table, number, [UInt8](sealed)))
    }

    /// Writes a record that was sealed under its number before.
    ///
    /// - Returns: whether it opens there; if not, nothing is written.
    func restore(
        _ table: RowHasher.Table,
        _ number: Int64,
        _ sealed: Data,
        _ head: inout Head
    ) throws(KeychainError) -> Bool {
        guard (try? sealer(of: table).open(sealed, column: "sealed", row: .integer(number))) != nil else {
            return false
        }
        try insert(table, number, sealed, &head)
        return true
    }

    /// The records of a table, oldest first, each with its number; `nil` for one that does not open.
    func records(_ table: RowHasher.Table) throws(KeychainError) -> [(number: Int64, record: [UInt8]?)] {
        try mapping { () throws(StorageError) in
            let read = { (row: borrowing Row) throws(StorageError) -> (number: Int64, record: [UInt8]?) in
                let number = try row.int64(0)
                let sealed = try row.data(1)
                let opened = try? self.sealer(of: table).open(sealed, column: "sealed", row: .integer(number))
                return (number, opened.map { [UInt8]($0) })
            }
            return table == .access
                ? try database.rows("SELECT * FROM access ORDER BY number", row: read)
                : try database.rows("SELECT * FROM audit ORDER BY number", row: read)
        }
    }

    /// The newest time that the last lines of the audit log and the last past row say; 0 where they say none. Of the lines it
    /// is not the very last alone: a clock that is behind has written that.
    func newestTime() throws(KeychainError) -> Int64 {
        let lines = try mapping { () throws(StorageError) in
            try database.rows("SELECT * FROM audit ORDER BY number DESC LIMIT 16") { row throws(StorageError) in
                (number: try row.int64(0), sealed: try row.data(1))
            }
        }
        var newest = try past.newestTime() ?? 0
        for line in lines {
            guard let opened = try? auditSealer.open(line.sealed, column: "sealed", row: .integer(line.number)),
                let record = try? AuditRecord(wireBytes: [UInt8](opened))
            else { continue }
            newest = max(newest, record.time)
        }
        return newest
    }

    /// Takes records away.
    func remove(_ table: RowHasher.Table, _ number: Int64, _ head: inout Head) throws(KeychainError) {
        let sealed = try mapping { () throws(StorageError) in
            table == .access
                ? try database.first("DELETE FROM access WHERE number = ?1 RETURNING sealed", number) {
                    row throws(StorageError) in try row.bytes(0)
                }
                : try database.first("DELETE FROM audit WHERE number = ?1 RETURNING sealed", number) {
                    row throws(StorageError) in try row.bytes(0)
                }
        }
        if let sealed { head.rows.toggle(hasher.code(table, number, sealed)) }
    }

    /// Takes the records away that do not open. The head is not told: it is for whoever writes a new one.
    func discardUnreadableRecords() throws(KeychainError) {
        var unused = Head()
        for table in [RowHasher.Table.access, .audit] {
            for (number, record) in try records(table) where record == nil { try remove(table, number, &unused) }
        }
    }

    private func sealer(of table: RowHasher.Table) -> RowSealer { table == .access ? accessSealer : auditSealer }
}
