import MildamFiles
import MildamStorage
import MildamSystem

extension Vault {
    /// What became of a source.
    public typealias Addition = (source: VaultSource, result: Result<VaultEntry, VaultError>)

    /// Adds files. What was added when this returns, or was told, is on the disk.
    ///
    /// - Parameters:
    ///   - keepingDoubles: whether to add what the vault has already under another name. Of files without content there
    ///     may always be many.
    ///   - tags: what is added is tagged with them.
    ///   - monitor: told of the bytes of all sources that were encrypted.
    ///   - told: hears of each source, in their order, when it is on the disk or was refused; of one at a time, on any
    ///     thread, while the vault is at work: it must not be used there. A source that is refused holds up no other.
    /// - Throws: `invalidTag`, `storage`, `io`, `cancelled`; those that were told of stay.
    public func add(
        _ sources: [VaultSource],
        keepingDoubles: Bool = false,
        tags: [String] = [],
        monitor: FileMonitor = FileMonitor(),
        told: @escaping (Addition) -> Void = { _ in }
    ) throws(VaultError) {
        let entries = AdditionEntries(
            files: files,
            own: VaultSource.Own(folder),
            recipients: try keys.allRecipients(),
            generation: keys.current.number,
            tags: try VaultEntry.tags(tags),
            monitor: monitor,
            total: TotalMonitor(monitor, total: Self.size(of: sources))
        )
        let mark = try system { () throws(SystemError) in try AdditionMark.made(in: folder) }
        let work = AdditionWork(self, sources, entries, mark, keepingDoubles: keepingDoubles, told: told)
        do throws(VaultError) {
            // One batch is encrypted while the one before it comes to the disk.
            try OrderedFlow.run([AdditionStage(work), AdditionStage(work)])
        } catch {
            // What was encrypted of the next batch.
            try? settle()
            throw error
        }
        // Of what was refused, nothing comes back after a power cut.
        try files.synchronizing { () throws(VaultError) in }
        try forgetUnsettled()
    }

    /// The bytes of all sources, where they are known.
    private static func size(of sources: [VaultSource]) -> Int? {
        var sum = 0
        for source in sources {
            guard let size = source.size else { return nil }
            sum += size
        }
        return sum
    }
}

/// What is to be added, which is taken in batches.
private final class AdditionWork {
    /// To tell the index of them is a sync, which no batch should wait for.
    private static let idsAtOnce = 16 * AdditionBatch.maximumFiles

    let entries: AdditionEntries
    let keepingDoubles: Bool
    let told: (Vault.Addition) -> Void
    private let mark: AdditionMark
    private var rest: ArraySlice<VaultSource>
    /// Ids that the index knows of, for the files that come next.
    private var ids: ArraySlice<VaultEntryID> = []
    private let vault: Vault
    /// Whoever changes the index holds it.
    private let turn = Lock(())

    init(
        _ vault: Vault,
        _ sources: [VaultSource],
        _ entries: AdditionEntries,
        _ mark: AdditionMark,
        keepingDoubles: Bool,
        told: @escaping (Vault.Addition) -> Void
    ) {
        self.vault = vault
        self.entries = entries
        self.mark = mark
        self.keepingDoubles = keepingDoubles
        self.told = told
        rest = sources[...]
    }

    /// What comes next; `nil` when nothing does.
    func nextBatch() throws(VaultError) -> AdditionBatch? {
        let sources = rest.prefix(AdditionBatch.maximumFiles)
        guard !sources.isEmpty else { return nil }
        if ids.count < sources.count {
            ids += (0..<min(rest.count, Self.idsAtOnce)).map { _ in VaultEntryID.random() }
            try change { index throws(StorageError) in try index.unsettle([mark.id] + ids, removing: false) }
        }
        return AdditionBatch(sources, as: ids.prefix(sources.count), entries)
    }

    /// Takes off what a batch has tried, which may be less than it was given.
    func end(_ batch: AdditionBatch) {
        rest = rest.dropFirst(batch.results.count)
        ids = ids.dropFirst(batch.results.count)
    }

    /// Remembers beside the index that so many more have entries in it.
    func count(_ entries: Int) throws(VaultError) {
        do throws(SystemError) { try mark.count(entries) } catch { throw .io(error) }
    }

    func change(_ body: (VaultIndex) throws(StorageError) -> Void) throws(VaultError) {
        try turn.withLock { _ throws(VaultError) in
            try vault.change { () throws(StorageError) in try body(vault.index) }
        }
    }
}

/// Adds one batch after the other.
private final class AdditionStage: FlowWorker {
    private let shared: AdditionWork
    private var batch: AdditionBatch?
    private var disk: VaultFiles.Disk?
    private var failure: VaultError?

    init(_ shared: AdditionWork) {
        self.shared = shared
    }

    /// Encrypts the next batch.
    func take(_ number: Int) throws(VaultError) -> Bool {
        guard let batch = try shared.nextBatch() else { return false }
        disk = try VaultFiles.Disk(shared.entries.files)
        try batch.encrypt()
        shared.end(batch)
        self.batch = batch
        return true
    }

    /// Brings it to the disk.
    func work() {
        do throws(VaultError) { try disk?.synchronize() } catch { failure = error }
        disk = nil
    }

    /// Puts it in the index.
    func handOn() throws(VaultError) {
        if let failure { throw failure }
        guard let batch else { return }
        var results = batch.results
        try shared.change { index throws(StorageError) in
            for (place, result) in results.enumerated() {
                guard case .success(let entry) = result else { continue }
                if let refusal = try refusal(of: entry, index) { results[place] = .failure(refusal) }
            }
        }
        try shared.count(results.count { if case .success = $0 { true } else { false } })
        for (id, result) in zip(batch.ids, results) {
            guard case .failure = result else { continue }
            do throws(SystemError) { try shared.entries.files.remove(id) } catch { throw .io(error) }
        }
        for (source, result) in zip(batch.sources, results) { shared.told((source, result)) }
        if shared.entries.monitor.isCancelled() { throw .cancelled }
    }

    /// Puts an entry in, or says why not.
    private func refusal(of entry: VaultEntry, _ index: VaultIndex) throws(StorageError) -> VaultError? {
        if !shared.keepingDoubles, entry.size > 0, let other = try index.entry(ofDigest: entry.digest) {
            return .sameContent(entry.name.description, as: other.name.description)
        }
        return try index.insert(entry) ? nil : .nameTaken(entry.name.description)
    }
}
