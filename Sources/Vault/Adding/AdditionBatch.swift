import Glibc
import MildamCrypto
import MildamFiles
import MildamStorage
import MildamSystem

/// The files of one batch, which several workers take one by one.
final class AdditionBatch {
    /// Files that are synced together, and about how many bytes of content.
    static let maximumFiles = 1024
    fileprivate static let maximumBytes = 256 << 20

    /// What became of a file before the index was asked.
    enum Result {
        /// It is encrypted, and its row sealed.
        case stored(EntryRow)
        /// It has the content of what has its name; and whether the vault's file was read, and is sound.
        case unchanged(VaultEntry, isRead: Bool)
        case refused(VaultError)
    }

    let sources: ArraySlice<VaultSource>
    let ids: ArraySlice<VaultEntryID>
    /// What has the name of each source.
    fileprivate let known: [VaultIndex.Holder?]
    let entries: AdditionEntries
    /// In the order of the sources, of as many of them as were taken: fewer where they are large.
    fileprivate(set) var results: [Result] = []
    /// Bytes of content in those that were encrypted.
    fileprivate let bytes = Lock(0)

    init(
        _ sources: ArraySlice<VaultSource>,
        as ids: ArraySlice<VaultEntryID>,
        known: [VaultIndex.Holder?],
        _ entries: AdditionEntries
    ) {
        self.sources = sources
        self.ids = ids
        self.known = known
        self.entries = entries
    }

    /// Whether there is one to bring to the disk.
    var hasFiles: Bool {
        results.contains { if case .stored = $0 { true } else { false } }
    }

    /// Encrypts the files, on several threads.
    func encrypt() throws(VaultError) {
        try OrderedFlow.run((0..<min(Processors.count, sources.count, 4)).map { _ in AdditionWorker(self) })
    }
}

/// What the entries of an addition have in common.
struct AdditionEntries {
    let files: VaultFiles
    let own: VaultSource.Own
    let recipients: [any AgeRecipient]
    /// What opens the files that are there.
    let identities: [any AgeIdentity]
    let generation: UInt32
    let tags: [String]
    let rule: AdditionRule
    let sealer: EntrySealer
    let monitor: FileMonitor
    let total: TotalMonitor
}

/// Encrypts one file after the other.
private final class AdditionWorker: FlowWorker {
    private let batch: AdditionBatch
    private let buffers = AgeSealingBuffers()
    private var number = 0
    private var result = AdditionBatch.Result.refused(.cancelled)

    init(_ batch: AdditionBatch) {
        self.batch = batch
    }

    func take(_ number: Int) throws(VaultError) -> Bool {
        self.number = number
        return number < batch.ids.count && batch.bytes.withLock { $0 } < AdditionBatch.maximumBytes
    }

    func work() {
        do throws(VaultError) {
            let source = batch.sources[batch.sources.startIndex + number]
            let part = batch.entries.total.part(source.size ?? 0)
            defer { part.end() }
            guard !batch.entries.monitor.isCancelled() else { throw .cancelled }
            if let holder = batch.known[number], let same = try unchanged(source, holder) {
                result = same
            } else {
                let id = batch.ids[batch.ids.startIndex + number]
                result = .stored(try add(source, as: id, part.monitor, batch.entries))
            }
        } catch {
            result = .refused(error)
        }
    }

    func handOn() throws(VaultError) {
        if case .stored(let row) = result { batch.bytes.withLock { $0 += row.entry.size } }
        batch.results.append(result)
    }

    /// The coarsest steps in which file systems keep times, in seconds: those of FAT.
    private static let timeStep: Int64 = 2

    /// What has the name of a file, where the file has that content still. A file is believed unchanged by its size and
    /// time; not one that was changed in the seconds before it was added, or later: that may have happened unseen. Nor is it
    /// where the vault's file was found damaged.
    private func unchanged(
        _ source: VaultSource,
        _ holder: VaultIndex.Holder
    ) throws(VaultError) -> AdditionBatch.Result? {
        let known = holder.entry
        let stored = WholeFile.size(batch.entries.files.path(of: known.file))
        guard let stamp = source.stamp(), stamp.size == known.size, stored == known.storedSize else { return nil }
        var same = known
        same.modified = stamp.modified
        same.nanoseconds = UInt32(clamping: stamp.nanoseconds)
        let isOlder = stamp.modified < max(known.added, Int64.min + Self.timeStep) - Self.timeStep
        if same == known, isOlder, !batch.entries.rule.readingAll, !holder.isDamaged {
            return .unchanged(known, isRead: false)
        }
        let content = try source.open(unless: batch.entries.own)
        let digest: SHA256Digest?
        do throws(SystemError) {
            digest = try content.file.digest(isCancelled: batch.entries.monitor.isCancelled)
        } catch {
            throw .io(error)
        }
        guard digest.map({ Array($0) }) == known.digest else { return nil }
        // The good copy is at hand: what is damaged is stored anew.
        let isSound = batch.entries.files.isSound(
            known,
            opening: batch.entries.identities,
            isCancelled: batch.entries.monitor.isCancelled
        )
        return isSound ? .unchanged(same, isRead: true) : nil
    }

    private func add(
        _ source: VaultSource,
        as id: VaultEntryID,
        _ monitor: FileMonitor,
        _ entries: AdditionEntries
    ) throws(VaultError) -> EntryRow {
        var isWhole = false
        // It may be what the others need the room of.
        defer { if !isWhole { try? entries.files.remove(id) } }
        let content = try source.open(unless: entries.own)
        let meters = AgeMeters(content: ByteMeter(digesting: true, keeping: ContentType.signatureSize))
        do throws(AgeError) {
            let path = entries.files.path(of: id)
            let target: Descriptor
            do throws(SystemError) { target = try entries.files.create(path) } catch { throw .io(error) }
            try AgeFile.encrypt(
                content.file,
                to: target,
                path,
                entries.recipients,
                false,
                meters,
                monitor,
                in: buffers
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
        let entry = VaultEntry(
            id: id,
            file: id,
            name: source.name,
            size: size,
            storedSize: meters.file.size,
            modified: content.stamp?.modified ?? now,
            nanoseconds: UInt32(clamping: content.stamp?.nanoseconds ?? 0),
            added: now,
            type: ContentType.glimpsed(in: meters.content.beginning),
            digest: Array(digest),
            tags: entries.tags,
            generation: entries.generation
        )
        do throws(StorageError) {
            let row = try entries.sealer.row(of: entry)
            isWhole = true
            return row
        } catch {
            throw .storage(error)
        }
    }
}
