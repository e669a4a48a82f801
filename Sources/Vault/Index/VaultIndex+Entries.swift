import MildamFiles
import MildamStorage
import MildamSystem

extension VaultIndex {
    /// Every entry that is wanted, by name, as they all were at one moment; opened by several threads.
    func entries(where isWanted: @escaping (VaultEntry) -> Bool = { _ in true }) throws(StorageError) -> [VaultEntry] {
        let work = EntriesWork(self, isWanted)
        var workers: [EntriesWorker] = []
        for _ in 0..<min(Processors.count, 8) { workers.append(EntriesWorker(work, try RowSealer.Opener(sealer))) }
        try database.snapshot { () throws(StorageError) in try OrderedFlow.run(workers) }
        return work.entries.byName
    }
}

extension [VaultEntry] {
    /// The same in the order of their names, which are laid side by side first: to compare strings where they are would
    /// count references up and down at every step.
    fileprivate var byName: [VaultEntry] {
        var names: [UInt8] = []
        var order: [(start: Int, end: Int, index: Int)] = []
        order.reserveCapacity(count)
        for (index, entry) in enumerated() {
            let start = names.count
            names.append(contentsOf: entry.name.description.utf8)
            order.append((start, names.count, index))
        }
        unsafe names.withUnsafeBytes { names in
            order.sort { one, other in
                let (own, others) = unsafe (names[one.start..<one.end], names[other.start..<other.end])
                return unsafe own.lexicographicallyPrecedes(others)
            }
        }
        return order.map { self[$0.index] }
    }
}

/// The rows, which several workers take some at a time.
private final class EntriesWork {
    let index: VaultIndex
    let isWanted: (VaultEntry) -> Bool
    /// The id of the row that was read last.
    var last: [UInt8] = []
    var entries: [VaultEntry] = []

    init(_ index: VaultIndex, _ isWanted: @escaping (VaultEntry) -> Bool) {
        self.index = index
        self.isWanted = isWanted
    }
}

/// Opens rows, and keeps what is wanted of them.
private final class EntriesWorker: FlowWorker {
    private static let rowsAtOnce = 1000

    private let shared: EntriesWork
    private var opener: RowSealer.Opener
    private var rows: [VaultIndex.SealedEntry] = []
    private var result: Result<[VaultEntry], StorageError> = .success([])

    init(_ shared: EntriesWork, _ opener: consuming RowSealer.Opener) {
        self.shared = shared
        self.opener = opener
    }

    func take(_ number: Int) throws(StorageError) -> Bool {
        rows = try shared.index.sealedEntries(behind: shared.last, atMost: Self.rowsAtOnce)
        for row in rows {
            // In a file that somebody has changed they might go round for ever.
            guard shared.last.lexicographicallyPrecedes(row.id) else {
                throw shared.index.damaged("the order of entries")
            }
            shared.last = row.id
        }
        return !rows.isEmpty
    }

    func work() {
        result = Result { () throws(StorageError) in
            var entries: [VaultEntry] = []
            entries.reserveCapacity(rows.count)
            for row in rows {
                let entry = try shared.index.opened(row, by: &opener)
                if shared.isWanted(entry) { entries.append(entry) }
            }
            return entries
        }
    }

    func handOn() throws(StorageError) {
        shared.entries += try result.get()
    }
}
