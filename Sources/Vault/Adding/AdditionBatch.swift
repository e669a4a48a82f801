import Glibc
import MildamCrypto
import MildamFiles
import MildamSystem

/// The files of one batch, which several workers take one by one.
final class AdditionBatch {
    /// Files that are synced together, and about how many bytes of content.
    static let maximumFiles = 1024
    fileprivate static let maximumBytes = 256 << 20

    let sources: ArraySlice<VaultSource>
    let ids: ArraySlice<VaultEntryID>
    let entries: AdditionEntries
    /// In the order of the sources, of as many of them as were taken: fewer where they are large.
    fileprivate(set) var results: [Result<VaultEntry, VaultError>] = []
    /// Bytes of content in those that were encrypted.
    fileprivate let bytes = Lock(0)

    init(_ sources: ArraySlice<VaultSource>, as ids: ArraySlice<VaultEntryID>, _ entries: AdditionEntries) {
        self.sources = sources
        self.ids = ids
        self.entries = entries
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
    let generation: UInt32
    let tags: [String]
    let monitor: FileMonitor
    let total: TotalMonitor
}

/// Encrypts one file after the other.
private final class AdditionWorker: FlowWorker {
    private let batch: AdditionBatch
    private var number = 0
    private var result: Result<VaultEntry, VaultError> = .failure(.cancelled)

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
            result = .success(try add(source, as: batch.ids[batch.ids.startIndex + number], batch.entries))
        } catch {
            result = .failure(error)
        }
    }

    func handOn() throws(VaultError) {
        if case .success(let entry) = result { batch.bytes.withLock { $0 += entry.size } }
        batch.results.append(result)
    }

    private func add(
        _ source: VaultSource,
        as id: VaultEntryID,
        _ entries: AdditionEntries
    ) throws(VaultError) -> VaultEntry {
        guard !entries.monitor.isCancelled() else { throw .cancelled }
        var isWhole = false
        // It may be what the others need the room of.
        defer { if !isWhole { try? entries.files.remove(id) } }
        let part = entries.total.part(source.size ?? 0)
        defer { part.end() }
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
                part.monitor
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
        isWhole = true
        let now = WallClock.system.seconds
        return VaultEntry(
            id: id,
            name: source.name,
            size: size,
            storedSize: meters.file.size,
            modified: content.stamp?.modified ?? now,
            added: now,
            type: ContentType.glimpsed(in: meters.content.beginning),
            digest: Array(digest),
            tags: entries.tags,
            generation: entries.generation
        )
    }
}
