import MildamFiles
import MildamStorage
import MildamSystem

extension Vault {
    /// How many former versions an entry keeps: when it changes, the oldest goes.
    public static let maximumVersions = 10

    /// Adds files. What was added when this returns, or was told, is on the disk.
    ///
    /// Each source has its name in the vault then; a content is stored once, however many names have it. What changed takes
    /// the place of what had its name, which is a former version from then on; what is the same is passed over.
    ///
    /// - Parameters:
    ///   - rule: what becomes of names that the vault has.
    ///   - tags: what is added is tagged with them.
    ///   - monitor: told of the bytes of all sources that were encrypted or passed over.
    ///   - told: hears of each source, in their order, when it is on the disk or was refused; of one at a time, on any
    ///     thread, while the vault is at work: it must not be used there. A source that is refused holds up no other; so is
    ///     one whose name another of them has with another content.
    /// - Throws: `invalidTag`, `storage`, `io`, `cancelled`; those that were told of stay.
    public func add(
        _ sources: [VaultSource],
        rule: AdditionRule = AdditionRule(),
        tags: [String] = [],
        monitor: FileMonitor = FileMonitor(),
        told: @escaping (Addition) -> Void = { _ in }
    ) throws(VaultError) {
        let entries = AdditionEntries(
            files: files,
            own: VaultSource.Own(folder),
            recipients: try keys.allRecipients(),
            identities: keys.identities,
            generation: keys.current.number,
            tags: try VaultEntry.tags(tags),
            rule: rule,
            sealer: index.sealer,
            monitor: monitor,
            total: TotalMonitor(monitor, total: TotalMonitor.sum(of: sources.map(\.size)))
        )
        let isEmpty = try stored { () throws(StorageError) in try index.isEmpty() }
        let mark = try system { () throws(SystemError) in try AdditionMark.made(in: folder) }
        let work = AdditionWork(self, sources, entries, mark, looksUp: !isEmpty, told: told)
        do throws(VaultError) {
            // One batch is encrypted while those before it come to the disk, and into the index.
            try OrderedFlow.run([AdditionStage(work), AdditionStage(work), AdditionStage(work)])
        } catch {
            // What was encrypted of the next batch.
            try? settle()
            throw error
        }
        // Of what was refused, nothing comes back after a power cut.
        try files.synchronizing { () throws(VaultError) in }
        try forgetUnsettled()
    }
}

/// What is to be added, which is taken in batches.
private final class AdditionWork {
    /// To tell the index of them is a sync, which no batch should wait for.
    private static let idsAtOnce = 16 * AdditionBatch.maximumFiles

    let entries: AdditionEntries
    let told: (Vault.Addition) -> Void
    private let mark: AdditionMark
    private var rest: ArraySlice<VaultSource>
    /// Whether the vault may have names of the sources.
    private let looksUp: Bool
    /// Ids that the index knows of, for the files that come next.
    private var ids: ArraySlice<VaultEntryID> = []
    private let vault: Vault
    private var placement: AdditionPlacement
    /// Whoever uses the index holds it.
    private let turn = Lock(())

    init(
        _ vault: Vault,
        _ sources: [VaultSource],
        _ entries: AdditionEntries,
        _ mark: AdditionMark,
        looksUp: Bool,
        told: @escaping (Vault.Addition) -> Void
    ) {
        self.vault = vault
        self.entries = entries
        self.mark = mark
        self.looksUp = looksUp
        self.told = told
        placement = AdditionPlacement(entries)
        rest = sources[...]
    }

    /// What comes next; `nil` when nothing does.
    func nextBatch() throws(VaultError) -> AdditionBatch? {
        let sources = rest.prefix(AdditionBatch.maximumFiles)
        guard !sources.isEmpty else { return nil }
        if ids.count < sources.count {
            let more = (0..<min(rest.count, Self.idsAtOnce)).map { _ in VaultEntryID.random() }
            // In their order, each row lies beside the one before it.
            let known = more.sorted(by: VaultEntryID.precedes)
            try turn.withLock { _ throws(VaultError) in
                try vault.change { () throws(StorageError) in
                    try vault.index.unsettle([mark.id] + known, removing: false)
                }
            }
            ids += more
        }
        return AdditionBatch(sources, as: ids.prefix(sources.count), known: try holders(of: sources), entries)
    }

    /// What has the names of sources.
    private func holders(of sources: ArraySlice<VaultSource>) throws(VaultError) -> [VaultIndex.Holder?] {
        guard looksUp else { return [VaultIndex.Holder?](repeating: nil, count: sources.count) }
        return try turn.withLock { (_) throws(VaultError) -> [VaultIndex.Holder?] in
            var holders: [VaultIndex.Holder?] = []
            for source in sources {
                holders.append(
                    try vault.stored { () throws(StorageError) in try vault.index.holder(of: source.name) }
                )
            }
            return holders
        }
    }

    /// Takes off what a batch has tried, which may be less than it was given.
    func end(_ batch: AdditionBatch) {
        rest = rest.dropFirst(batch.results.count)
        ids = ids.dropFirst(batch.results.count)
    }

    /// Puts a batch, which is on the disk, in the index, and removes the files that nothing has.
    func place(_ batch: AdditionBatch) throws(VaultError) -> [Vault.Addition] {
        try turn.withLock { (_) throws(VaultError) -> [Vault.Addition] in
            placement.begin()
            let additions = try vault.changeNames {
                records throws(StorageError) -> Result<[Vault.Addition], VaultError> in
                var additions: [Vault.Addition] = []
                for (source, result) in zip(batch.sources, batch.results) {
                    additions.append(try placement.place(result, of: source, in: vault.index, &records))
                }
                return .success(additions)
            }
            try vault.system { () throws(SystemError) in
                try mark.count(placement.keptCount)
                for id in placement.unused { try entries.files.remove(id) }
            }
            for (id, result) in zip(batch.ids, batch.results) {
                guard case .refused = result else { continue }
                try vault.system { () throws(SystemError) in try entries.files.remove(id) }
            }
            try vault.removeFiles(placement.dropped)
            return additions
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
        do throws(VaultError) { if batch?.hasFiles == true { try disk?.synchronize() } } catch { failure = error }
        disk = nil
    }

    /// Puts it in the index.
    func handOn() throws(VaultError) {
        if let failure { throw failure }
        guard let batch else { return }
        for addition in try shared.place(batch) { shared.told(addition) }
        if shared.entries.monitor.isCancelled() { throw .cancelled }
    }
}
