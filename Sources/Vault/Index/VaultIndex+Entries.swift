import Glibc
import MildamFiles
import MildamStorage
import MildamSystem

extension VaultIndex {
    /// Every entry that is wanted, by name, as they all were at one moment; opened by several threads.
    ///
    /// - Parameter formerToo: whether former versions are among them.
    func entries(
        formerToo: Bool = false,
        where isWanted: @escaping (VaultEntry) -> Bool = { _ in true }
    ) throws(StorageError) -> [VaultEntry] {
        let work = EntriesWork(self, formerToo, isWanted)
        var workers: [EntriesWorker] = []
        for _ in 0..<min(Processors.count, 8) { workers.append(EntriesWorker(work, try EntryOpener(sealer))) }
        try database.snapshot { () throws(StorageError) in try OrderedFlow.run(workers) }
        return work.entries.byName
    }
}

extension [VaultEntry] {
    /// The same in the order of their names, which are laid side by side first: to compare strings where they are would
    /// count references up and down at every step.
    fileprivate var byName: [VaultEntry] {
        var names: [UInt8] = []
        var order: [(start: Int, count: Int, index: Int)] = []
        order.reserveCapacity(count)
        for (index, entry) in enumerated() {
            let start = names.count
            names.append(contentsOf: entry.name.description.utf8)
            order.append((start, names.count - start, index))
        }
        unsafe names.withUnsafeBytes { names in
            guard let base = names.baseAddress else { return }
            order.sort { one, other in
                let count = Swift.min(one.count, other.count)
                let difference = unsafe memcmp(base + one.start, base + other.start, count)
                return difference == 0 ? one.count < other.count : difference < 0
            }
        }
        return order.map { self[$0.index] }
    }
}

/// The rows, which several workers take some at a time.
private final class EntriesWork {
    let index: VaultIndex
    let formerToo: Bool
    let isWanted: (VaultEntry) -> Bool
    /// The id of the row that was read last.
    var last: VaultEntryID?
    var entries: [VaultEntry] = []

    init(_ index: VaultIndex, _ formerToo: Bool, _ isWanted: @escaping (VaultEntry) -> Bool) {
        self.index = index
        self.formerToo = formerToo
        self.isWanted = isWanted
    }
}

/// Opens rows, and keeps what is wanted of them.
private final class EntriesWorker: FlowWorker {
    private static let rowsAtOnce = 1000

    private let shared: EntriesWork
    private var opener: EntryOpener
    private var rows = SealedEntries()
    private var result: Result<[VaultEntry], StorageError> = .success([])

    init(_ shared: EntriesWork, _ opener: consuming EntryOpener) {
        self.shared = shared
        self.opener = opener
    }

    func take(_ number: Int) throws(StorageError) -> Bool {
        rows.removeAll()
        let behind = shared.last?.bytes ?? []
        try shared.index.read(&rows, behind: behind, atMost: Self.rowsAtOnce, formerToo: shared.formerToo)
        for row in rows.rows {
            // In a file that somebody has changed they might go round for ever.
            guard let id = rows.id(of: row), shared.last.map({ VaultEntryID.precedes($0, id) }) ?? true else {
                throw shared.index.damaged("the order of entries")
            }
            shared.last = id
        }
        return !rows.rows.isEmpty
    }

    func work() {
        result = Result { () throws(StorageError) in
            var entries: [VaultEntry] = []
            entries.reserveCapacity(rows.rows.count)
            for row in rows.rows {
                let entry = try opener.open(row, of: rows)
                if shared.isWanted(entry) { entries.append(entry) }
            }
            return entries
        }
    }

    func handOn() throws(StorageError) {
        shared.entries += try result.get()
    }
}
