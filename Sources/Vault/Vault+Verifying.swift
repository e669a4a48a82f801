import Glibc
import MildamFiles
import MildamStorage
import MildamSystem

/// What a verification found.
public struct VaultVerification: Sendable {
    /// How many files are sound: every chunk and the digest of the whole.
    public internal(set) var sound = 0
    /// How many an earlier part of the same verification had found sound.
    public internal(set) var foundBefore = 0
    /// Those that are not, and what is wrong with each.
    public internal(set) var damaged: [(name: VaultName, error: VaultError)] = []
    /// Files that the index does not know, by their path in the vault.
    public internal(set) var unknown: [String] = []

    /// Whether nothing is wrong.
    public var isClean: Bool { damaged.isEmpty && unknown.isEmpty }
}

extension Vault {
    /// Files of which it is written down at once that they are sound.
    private static let checkedAtOnce = 256

    /// Reads every file, and holds its chunks and the digest of its content against what was added.
    ///
    /// - Parameters:
    ///   - resuming: whether to go on with a verification that was interrupted, where one was.
    ///   - monitor: told of the bytes of all files that were read.
    ///   - told: hears of each file that was read, with `nil` for a sound one.
    /// - Throws: `storage`, `io`, `cancelled`; the next call may go on from there.
    public func verify(
        resuming: Bool = true,
        monitor: FileMonitor = FileMonitor(),
        told: (VaultEntry, VaultError?) -> Void = { _, _ in }
    ) throws(VaultError) -> VaultVerification {
        var report = VaultVerification()
        let began = try begin(resuming)
        let due = try stored { () throws(StorageError) in try index.unchecked(since: began) }
        report.foundBefore = try stored { () throws(StorageError) in try index.count() } - due.count
        let total = TotalMonitor(monitor, total: due.reduce(0) { $0 + $1.storedSize })
        var rest = due.sorted { $0.name < $1.name }[...]
        while !rest.isEmpty {
            let part = Array(rest.prefix(Self.checkedAtOnce))
            rest = rest.dropFirst(part.count)
            let work = VerifyingWork(part, files, keys.identities, monitor, total)
            try OrderedFlow.run((0..<min(Processors.count, part.count, 4)).map { _ in VerifyingWorker(work) })
            let sound = zip(part, work.results).filter { $1 == nil }.map(\.0.id)
            try change { () throws(StorageError) in try index.check(sound, at: began) }
            for (entry, error) in zip(part, work.results) {
                told(entry, error)
                if let error { report.damaged.append((entry.name, error)) }
            }
            report.sound += sound.count
            if monitor.isCancelled() { throw .cancelled }
        }
        // Without the folder, every file was found missing above.
        if Folder.isFolder(files.root) { report.unknown = try unknownFiles() }
        try change { () throws(StorageError) in try index.endVerification() }
        return report
    }

    private func begin(_ resuming: Bool) throws(VaultError) -> Int64 {
        if resuming, let began = try stored({ () throws(StorageError) in try index.verification() }) { return began }
        // Later than any that was finished, however the clock was set.
        let last = try stored { () throws(StorageError) in try index.lastCheck() }
        let now = max(WallClock.system.milliseconds, last + 1)
        try change { () throws(StorageError) in try index.beginVerification(at: now) }
        return now
    }

    /// Files that no entry names, by their path in the vault.
    func unknownFiles() throws(VaultError) -> [String] {
        let known = Set(try stored { () throws(StorageError) in try index.entries() }.map { files.path(of: $0.id) })
        return try system { () throws(SystemError) in
            var unknown: [String] = []
            for name in try Folder.entries(of: files.root) {
                let path = "files/" + String(decoding: name, as: UTF8.self)
                guard Folder.isFolder(folder + "/" + path) else {
                    unknown.append(path)
                    continue
                }
                for name in try Folder.entries(of: folder + "/" + path) {
                    let path = path + "/" + String(decoding: name, as: UTF8.self)
                    if !known.contains(folder + "/" + path) { unknown.append(path) }
                }
            }
            return unknown.sorted()
        }
    }
}

/// Entries that several workers take one by one.
private final class VerifyingWork {
    let entries: [VaultEntry]
    let files: VaultFiles
    let identities: [any AgeIdentity]
    let monitor: FileMonitor
    let total: TotalMonitor
    /// In the order of the entries; `nil` for a sound one.
    var results: [VaultError?] = []

    init(
        _ entries: [VaultEntry],
        _ files: VaultFiles,
        _ identities: [any AgeIdentity],
        _ monitor: FileMonitor,
        _ total: TotalMonitor
    ) {
        self.entries = entries
        self.files = files
        self.identities = identities
        self.monitor = monitor
        self.total = total
    }
}

/// Reads one file after the other.
private final class VerifyingWorker: FlowWorker {
    private let shared: VerifyingWork
    private var number = 0
    private var result: VaultError?

    init(_ shared: VerifyingWork) {
        self.shared = shared
    }

    func take(_ number: Int) throws(VaultError) -> Bool {
        self.number = number
        return number < shared.entries.count
    }

    func work() {
        let entry = shared.entries[number]
        do throws(AgeError) {
            try check(entry)
            result = nil
        } catch {
            result = VaultError(error, of: entry, at: shared.files.path(of: entry.id))
        }
    }

    func handOn() throws(VaultError) {
        shared.results.append(result)
    }

    private func check(_ entry: VaultEntry) throws(AgeError) {
        guard !shared.monitor.isCancelled() else { throw .cancelled }
        let part = shared.total.part(entry.storedSize)
        defer { part.end() }
        let path = shared.files.path(of: entry.id)
        let file: FileSource
        do throws(SystemError) { file = try FileSource(ofVault: path) } catch { throw .io(error) }
        let meters = AgeMeters(content: ByteMeter(digesting: true))
        try AgeFile.decrypt(file, to: nil, nil, shared.identities, meters, part.monitor)
        guard meters.content.size == entry.size, meters.content.digest.map({ Array($0) }) == entry.digest else {
            throw .differentCiphertext
        }
    }
}
