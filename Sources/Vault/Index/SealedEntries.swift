import MildamStorage
import MildamWire

/// Rows of the index as they are stored, one behind the other: an allocation for each of their columns would take longer
/// than to read them.
struct SealedEntries {
    /// Where the columns of a row lie.
    struct Columns {
        let id: Range<Int>
        let name: Range<Int>
        let generation: Int64
        let value: Range<Int>
        /// Which file has the content; `nil` where its name is the id.
        let file: Range<Int>?
        /// Whose former version it is; `nil` for a present one.
        let entry: Range<Int>?
    }

    private(set) var bytes: [UInt8] = []
    private(set) var rows: [Columns] = []

    /// Forgets the rows, and keeps their room.
    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        rows.removeAll(keepingCapacity: true)
    }

    /// Takes a row of the columns id, name, generation, value, file and entry.
    ///
    /// - Throws: `damaged` for columns of other types.
    mutating func append(_ row: borrowing Row) throws(StorageError) {
        let columns = Columns(
            id: try copy(row, 0),
            name: try copy(row, 1),
            generation: try row.int64(2),
            value: try copy(row, 3),
            file: try row.isNull(4) ? nil : copy(row, 4),
            entry: try row.isNull(5) ? nil : copy(row, 5)
        )
        rows.append(columns)
    }

    /// The id of a row; `nil` where it is none.
    func id(of row: Columns) -> VaultEntryID? { VaultEntryID(bytes.span.extracting(row.id)) }

    private mutating func copy(_ row: borrowing Row, _ column: Int) throws(StorageError) -> Range<Int> {
        let start = bytes.count
        try row.withBytes(column) { value throws(StorageError) in
            unsafe value.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) }
        }
        return start..<bytes.count
    }
}

/// Opens the rows of an index one after the other.
struct EntryOpener: ~Copyable {
    private var opener: RowSealer.Opener
    private var place: RowSealer.Place
    private let path: String

    /// An opener for what a sealer seals.
    init(_ sealer: EntrySealer) throws(StorageError) {
        opener = try RowSealer.Opener(sealer.rows)
        place = RowSealer.Place(of: sealer.rows, column: EntrySealer.column)
        path = sealer.path
    }

    /// Opens a row. What stands outside of its seal is authenticated with it.
    ///
    /// - Throws: `damaged`.
    mutating func open(_ row: SealedEntries.Columns, of rows: SealedEntries) throws(StorageError) -> VaultEntry {
        let path = self.path
        let bytes = rows.bytes
        guard let id = rows.id(of: row), let generation = UInt32(exactly: row.generation) else {
            throw Self.damaged(path, "an entry's id or generation")
        }
        var (file, former): (VaultEntryID, VaultEntryID?) = (id, nil)
        if let range = row.file {
            guard let known = VaultEntryID(bytes.span.extracting(range)) else {
                throw Self.damaged(path, "the id of an entry's file")
            }
            file = known
        }
        if let range = row.entry {
            guard let known = VaultEntryID(bytes.span.extracting(range)) else {
                throw Self.damaged(path, "the id of a former version's entry")
            }
            former = known
        }
        place.begin()
        place.append(bytes.span.extracting(row.id))
        place.append(bytes.span.extracting(row.name))
        place.append(row.generation)
        if row.file != nil || row.entry != nil {
            place.append(bytes.span.extracting(row.file ?? 0..<0))
            place.append(bytes.span.extracting(row.entry ?? 0..<0))
        }
        return try opener.open(bytes.span.extracting(row.value), at: place) { value throws(StorageError) in
            do throws(WireError) {
                return try VaultEntry(id: id, file: file, entry: former, generation: generation, value: value)
            } catch {
                throw Self.damaged(path, "an entry")
            }
        }
    }

    private static func damaged(_ path: String, _ what: String) -> StorageError {
        .damaged(path: path, reason: "\(what) is not what it should be")
    }
}
