import FoundationEssentials
import Glibc
import MildamCrypto
import MildamFiles
import MildamStorage
import MildamSystem

extension Vault {
    /// What became of a source.
    public typealias Addition = (source: VaultSource, result: Result<VaultEntry, VaultError>)

    /// Files that are synced together, and about how many bytes of content.
    private static let batchFiles = 512
    fileprivate static let batchBytes = 256 << 20

    /// Adds files. What was added when this returns, or was told, is on the disk.
    ///
    /// - Parameters:
    ///   - keepingDoubles: whether to add what the vault has already under another name.
    ///   - told: hears of each source, in their order, when it is on the disk or was refused. A source that is refused
    ///     holds up no other.
    ///   - tags: what is added is tagged with them.
    /// - Throws: `invalidTag`, `storage`, `io`, `cancelled`; those that were told of stay.
    public func add(
        _ sources: [VaultSource],
        keepingDoubles: Bool = false,
        tags: [String] = [],
        monitor: FileMonitor = FileMonitor(),
        told: (Addition) -> Void = { _ in }
    ) throws(VaultError) {
        let tags = try VaultEntry.tags(tags)
        var rest = sources[...]
        while !rest.isEmpty {
            let batch = Array(rest.prefix(Self.batchFiles))
            rest = rest.dropFirst(try addBatch(batch, keepingDoubles, tags, monitor, told))
        }
        try settle()
    }

    /// - Returns: how many of them were taken: fewer where they are large.
    private func addBatch(
        _ sources: [VaultSource],
        _ keepingDoubles: Bool,
        _ tags: [String],
        _ monitor: FileMonitor,
        _ told: (Addition) -> Void
    ) throws(VaultError) -> Int {
        let ids = sources.map { _ in VaultEntryID.random() }
        try change { () throws(StorageError) in try index.unsettle(ids, removing: false) }
        let own = VaultSource.Own(folder)
        let recipients = try keys.allRecipients()
        var results = try files.synchronizing { () throws(VaultError) in
            let work = AddingWork(
                zip(sources, ids).map { ($0, $1) },
                files,
                own,
                recipients,
                keys.current.number,
                tags,
                monitor
            )
            try OrderedFlow.run((0..<min(Processors.count, sources.count, 4)).map { _ in AddingWorker(work) })
            return work.results
        }
        try change { () throws(StorageError) in
            for (place, result) in results.enumerated() {
                guard case .success(let entry) = result else { continue }
                if let refusal = try refusal(of: entry, keepingDoubles) { results[place] = .failure(refusal) }
            }
        }
        // On the disk, and in the index: whatever comes, the next one gives those their names, and lets the others go.
        for (id, result) in zip(ids, results) {
            try system { () throws(SystemError) in
                if case .success = result { try files.name(id) } else { try files.discard(id) }
            }
        }
        for (source, result) in zip(sources, results) { told((source, result)) }
        if monitor.isCancelled() { throw .cancelled }
        return results.count
    }

    /// Puts an entry in, or says why not.
    private func refusal(of entry: VaultEntry, _ keepingDoubles: Bool) throws(StorageError) -> VaultError? {
        if !keepingDoubles, let other = try index.entry(ofDigest: entry.digest) {
            return .sameContent(entry.name.description, as: other.name.description)
        }
        return try index.insert(entry) ? nil : .nameTaken(entry.name.description)
    }
}

/// The files of one batch, which several workers take one by one.
private final class AddingWork {
    let sources: [(VaultSource, VaultEntryID)]
    let files: VaultFiles
    let own: VaultSource.Own
    let recipients: [any AgeRecipient]
    let generation: UInt32
    let tags: [String]
    let monitor: FileMonitor
    /// In the order of the sources.
    var results: [Result<VaultEntry, VaultError>] = []
    /// Bytes of content in those that were taken.
    var bytes = 0

    init(
        _ sources: [(VaultSource, VaultEntryID)],
        _ files: VaultFiles,
        _ own: VaultSource.Own,
        _ recipients: [any AgeRecipient],
        _ generation: UInt32,
        _ tags: [String],
        _ monitor: FileMonitor
    ) {
        self.sources = sources
        self.files = files
        self.own = own
        self.recipients = recipients
        self.generation = generation
        self.tags = tags
        self.monitor = monitor
    }
}

/// Encrypts one file after the other.
private final class AddingWorker: FlowWorker {
    private let shared: AddingWork
    private var number = 0
    private var result: Result<VaultEntry, VaultError> = .failure(.cancelled)

    init(_ shared: AddingWork) {
        self.shared = shared
    }

    func take(_ number: Int) throws(VaultError) -> Bool {
        self.number = number
        guard number < shared.sources.count, shared.bytes < Vault.batchBytes else { return false }
        shared.bytes += shared.sources[number].0.expectedSize
        return true
    }

    func work() {
        let (source, id) = shared.sources[number]
        do throws(VaultError) {
            result = .success(try add(source, as: id))
        } catch {
            result = .failure(error)
            // It may be what the others need the room of.
            try? shared.files.discard(id)
        }
    }

    func handOn() throws(VaultError) {
        shared.results.append(result)
    }

    private func add(_ source: VaultSource, as id: VaultEntryID) throws(VaultError) -> VaultEntry {
        guard !shared.monitor.isCancelled() else { throw .cancelled }
        let content = try source.open(unless: shared.own)
        let meters = AgeMeters(content: ByteMeter(digesting: true, keeping: ContentType.signatureSize))
        do throws(AgeError) {
            let target: Descriptor
            do throws(SystemError) { target = try shared.files.create(id) } catch { throw .io(error) }
            try AgeFile.encrypt(
                content.file,
                to: target,
                shared.files.path(of: id) + VaultFiles.newSuffix,
                shared.recipients,
                false,
                meters,
                shared.monitor
            )
        } catch .cancelled {
            throw .cancelled
        } catch .sourceChanged {
            throw .sourceChanged(source.path)
        } catch .io(let error) {
            throw .io(error)
        } catch {
            throw .file(source.path, error)
        }
        try content.finish()
        let size = meters.content.size
        guard content.stamp == nil || content.stamp?.size == size, let digest = meters.content.digest else {
            throw .sourceChanged(source.path)
        }
        let now = WallClock.system.seconds
        return VaultEntry(
            id: id,
            name: source.name,
            size: size,
            storedSize: meters.file.size,
            modified: content.stamp?.modified ?? now,
            added: now,
            type: ContentType.of(meters.content.beginning),
            digest: Array(digest),
            tags: shared.tags,
            generation: shared.generation
        )
    }
}
