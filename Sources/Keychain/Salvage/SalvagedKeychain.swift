import FoundationEssentials
import Glibc
import MildamCrypto
import MildamStorage
import MildamSystem
import MildamWire

/// A new file for a keychain, put together in memory from what a damaged one still has.
struct SalvagedKeychain {
    /// How many items open.
    private(set) var whole = 0
    /// The items of which only what they are called is known.
    private(set) var damaged: [KeychainItem] = []
    /// The numbers of those that nothing is known of.
    private(set) var lost: [Int64] = []
    /// Rows of items whose name another one has.
    private var superseded: [(row: ItemRow, content: ItemContent)] = []
    /// The items whose name another one has: they are in the trash.
    var trashed: [KeychainItem] { superseded.map { item($0.row, $0.content) } }
    private let source: DamagedKeychain
    private let path: String
    private let identifier: KeychainIdentifier
    private let keys: ClassKeys
    private let store: ItemStore
    private let clock: WallClock
    private var head = Head()

    /// - Throws: `storage`.
    init(
        of source: DamagedKeychain,
        at path: String,
        _ door: LocalKeychain.Door,
        _ content: KeySlot.Content,
        _ options: LocalKeychain.Options
    ) throws(KeychainError) {
        self.source = source
        self.path = path
        identifier = door.identifier
        clock = options.clock
        keys = ClassKeys(content, door.identifier)
        let database = try mapping { () throws(StorageError) -> Database in
            let schema = KeychainSchema.schema
            return try Database(image: try schema.emptyImage(), path: path, schema: schema)
        }
        store = try ItemStore(database, door.identifier, keys.metadata)
        try fill(door, options)
    }

    private mutating func fill(_ door: LocalKeychain.Door, _ options: LocalKeychain.Options) throws(KeychainError) {
        let copies = try LocalKeychain.copies(of: path)
        begin(door, copies)
        let database = store.database
        try database.changing { () throws(KeychainError) in
            try mapping { () throws(StorageError) in
                try database.execute("INSERT INTO keychain VALUES (1, ?1, ?2)", door.identifier.bytes, door.created)
            }
            try insertSlots(door)
            try insertRecords(options.program)
            try insertItems()
            try insertPast(copies)
            try store.write(head)
        }
    }

    /// Begins where the newest head that opens ends, in the file or in a copy, so that no number is given out twice.
    private mutating func begin(_ door: LocalKeychain.Door, _ copies: [KeychainCopy]) {
        let heads = source.records.filter { $0.number == 1 }.compactMap { try? store.openHead(Data($0.sealed)) }
        var known = heads.max { $0.counter < $1.counter }
        // How far a file went whose head is lost, nobody knows.
        let margin: Int64 = known == nil ? 1000 : 0
        for copy in copies where known == nil {
            guard let database = try? copy.database() else { continue }
            known = try? ItemStore(database, identifier, keys.metadata).head()
        }
        let items = max(source.items.keys.max() ?? 0, source.past.map(\.item.number).max() ?? 0)
        let slots = source.slots + door.slots
        let records = (source.records.map(\.number) + slots.map(\.number) + source.past.map(\.number)).max() ?? 0
        head = known ?? Head()
        head.rows = SetHash()
        head.counter = max(head.counter, copies.map(\.number).max() ?? 0) + 1
        head.nextItem = max(head.nextItem, items + 1, (source.indexed.max() ?? 0) + 1) + margin
        head.nextRecord = max(head.nextRecord, records + 1) + margin
    }

    private mutating func insertSlots(_ door: LocalKeychain.Door) throws(KeychainError) {
        var numbers: Set<Int64> = []
        for slot in door.slots + source.slots where numbers.count < LocalKeychain.maximumSlots {
            guard (try? KeySlot(wireBytes: slot.parameters)) != nil, numbers.insert(slot.number).inserted else {
                continue
            }
            try store.insert(slot, &head)
        }
    }

    private mutating func insertRecords(_ program: ProgramIdentity) throws(KeychainError) {
        var numbers: Set<Int64> = []
        for (number, sealed) in source.records.sorted(by: { $0.number < $1.number }) where !numbers.contains(number) {
            for table in [RowHasher.Table.access, .audit] {
                guard try store.restore(table, number, Data(sealed), &head) else { continue }
                numbers.insert(number)
                break
            }
        }
        let record = AuditRecord(time: clock.milliseconds, event: .repaired, program: program, group: "")
        try store.append(.audit, record.wireBytes, &head)
    }

    /// An item, in the newest form of it that opens.
    private typealias Found = (row: ItemRow, content: ItemContent, isWhole: Bool)

    private mutating func insertItems() throws(KeychainError) {
        let found = findItems()
        let holders = holders(of: found)
        for (place, item) in found.enumerated() {
            if !holders.contains(place) {
                if item.isWhole { superseded.append((item.row, item.content)) } else { lost.append(item.row.number) }
                continue
            }
            try store.insert(item.row, item.content, &head)
            if item.isWhole { whole += 1 } else { damaged.append(self.item(item.row, item.content)) }
        }
        lost += source.indexed.subtracting(source.items.keys).sorted()
    }

    /// Each item that opens, in the order of the numbers.
    private mutating func findItems() -> [Found] {
        var found: [Found] = []
        for (number, rows) in source.items.sorted(by: { $0.key < $1.key }) {
            var best: Found?
            for row in rows.sorted(by: { $0.version > $1.version }) {
                guard let content = try? store.open(row) else { continue }
                let isWhole = opens(row, content)
                if best == nil || isWhole { best = (row, content, isWhole) }
                if isWhole { break }
            }
            guard let best else {
                lost.append(number)
                continue
            }
            found.append(best)
        }
        return found
    }

    /// Those that have their names, by their places: of several with one name, the one that was changed last. The pages of a
    /// damaged file may be of several moments, so that an item is in one as it was before it was removed, or renamed, and in
    /// another is the one that got its name.
    private func holders(of items: [Found]) -> Set<Int> {
        var holders: [[UInt8]: Int] = [:]
        for (place, item) in items.enumerated() {
            let content = item.content
            let name = store.entry(
                primary: content.attributes,
                of: content.itemClass,
                content.accessGroup,
                content.isSynchronizable
            )
            if let other = holders[name], Self.changed(items[other]) > Self.changed(item) { continue }
            holders[name] = place
        }
        return Set(holders.values)
    }

    /// When an item was last changed, in milliseconds since 1970.
    private static func changed(_ item: Found) -> Int64 { item.content.attributes.date(.modificationDate) ?? 0 }

    private mutating func insertPast(_ copies: [KeychainCopy]) throws(KeychainError) {
        var numbers: Set<Int64> = []
        for row in source.past.sorted(by: { $0.number < $1.number }) where !numbers.contains(row.number) {
            guard (try? store.open(row.item)) != nil, try store.past.restore(row, &head) else { continue }
            numbers.insert(row.number)
        }
        let time = max(clock.milliseconds, copies.first?.time ?? 0, try store.newestTime())
        for item in superseded {
            let kept = try store.past.newestVersion(of: item.row.number)
            if kept < item.row.version { try store.past.keep(item.row, at: time, &head) }
        }
        // It may be all that is left of an item, and not to be taken for one that was removed long ago.
        for removed in try store.past.removed() { try store.past.renew(removed.number, at: time, &head) }
    }

    /// Whether a row's secret opens, or there is no key here that could tell.
    private func opens(_ row: ItemRow, _ content: ItemContent) -> Bool {
        guard let key = try? keys.key(content.accessibility) else { return true }
        return (try? store.secret(row, content, under: key)) != nil
    }

    private func item(_ row: ItemRow, _ content: ItemContent) -> KeychainItem {
        KeychainItem(
            reference: ItemReference(keychain: identifier, number: row.number),
            itemClass: content.itemClass,
            accessGroup: content.accessGroup,
            isSynchronizable: content.isSynchronizable,
            accessibility: content.accessibility,
            attributes: content.attributes,
            secret: nil
        )
    }

    // MARK: On the disk

    /// Puts the new file in the place of the damaged one, whole or not at all, after that was kept under another name.
    ///
    /// - Returns: where that is, and where its log is; `nil` where there was none.
    /// - Throws: `io`, `storage`.
    func replaceFile() throws(KeychainError) -> (file: String?, log: String?) {
        let image = try mapping { () throws(StorageError) in Self.logged(try store.database.image()) }
        do throws(SystemError) {
            let place = try keepSource()
            // Whoever is killed before the new file has its name finds in the damaged one what the log had.
            if !source.log.isEmpty { try WholeFile.write(source.merged.span, to: path) }
            var file = try NewFile(for: path)
            try file.descriptor.write(image.span, path: path)
            try file.descriptor.synchronize(path: path)
            // The log and its index belong to the damaged file: the new one must never meet them.
            for end in ["-wal", "-shm"] {
                guard unsafe unlink(path + end) == 0 || errno == ENOENT else { throw .last("delete", path + end) }
            }
            try Folder.synchronize(Folder.parent(of: path))
            try file.publish(replacing: true)
            return place
        } catch {
            throw .io(error)
        }
    }

    private func keepSource() throws(SystemError) -> (file: String?, log: String?) {
        guard !source.file.isEmpty || !source.log.isEmpty else { return (nil, nil) }
        let place = PlaceAside(beside: path, as: "damaged", at: clock.milliseconds).path
        try WholeFile.create(source.file.span, at: place)
        guard !source.log.isEmpty else { return (place, nil) }
        let log = place + "-wal"
        try WholeFile.create(source.log.span, at: log)
        return (place, log)
    }

    /// An image as the file of a database with a write-ahead log has it ("Database File Format", section 1.3.3).
    private static func logged(_ image: [UInt8]) -> [UInt8] {
        var image = image
        image.replaceSubrange(18..<20, with: [2, 2])
        return image
    }
}
