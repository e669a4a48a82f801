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

    /// Reads every file, those of former versions too, and holds its chunks and the digest of its content against what was
    /// added. The copy of the names is read as well, and written anew where it is damaged. What is found damaged is not
    /// passed over when its content is added again.
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
        let due = try stored { () throws(StorageError) in try index.unchecked(since: began) }.byFile
        report.foundBefore = try stored { () throws(StorageError) in try index.fileCount() } - due.count
        let total = TotalMonitor(monitor, total: due.reduce(0) { $0 + $1.entry.storedSize })
        var rest = due.sorted { $0.entry.name < $1.entry.name }[...]
        while !rest.isEmpty {
            let part = Array(rest.prefix(Self.checkedAtOnce))
            rest = rest.dropFirst(part.count)
            let work = VerifyingWork(part.map(\.entry), files, keys.identities, monitor, total)
            try OrderedFlow.run((0..<min(Processors.count, part.count, 4)).map { _ in VerifyingWorker(work) })
            let sound = zip(part, work.results).filter { $1 == nil }.map(\.0)
            let damaged = zip(part, work.results).filter { $1?.concernsOneFile ?? false }.map(\.0)
            try change { () throws(StorageError) in
                try index.check(sound.flatMap(\.ids), at: began)
                try index.check(damaged.flatMap(\.ids), at: VaultIndex.foundDamaged)
            }
            for (file, error) in zip(part, work.results) {
                told(file.entry, error)
                if let error { report.damaged.append((file.entry.name, error)) }
            }
            report.sound += sound.count
            if monitor.isCancelled() { throw .cancelled }
        }
        // Without the folder, every file was found missing above.
        if Folder.isFolder(files.root) { report.unknown = try unknownFiles() }
        let isCopyRight = try readNames(opening: keys.identities, isProven: true, monitor).damaged == 0
        try change { () throws(StorageError) in
            if !isCopyRight { try index.forgetNames() }
            try index.endVerification()
        }
        if !isCopyRight { try settleNames() }
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

    /// Files that nothing in the index has, by their path in the vault.
    func unknownFiles() throws(VaultError) -> [String] {
        try unknownFiles(beside: try stored { () throws(StorageError) in try index.entries(formerToo: true) })
    }

    /// Files that none of these has, by their path in the vault.
    func unknownFiles(beside entries: [VaultEntry]) throws(VaultError) -> [String] {
        let known = Set(entries.map { files.path(of: $0.file) })
        return try system { () throws(SystemError) in
            var unknown: [String] = []
            for name in try Folder.entries(of: files.root) {
                let path = "files/" + String(decoding: name, as: UTF8.self)
                // Behind a link lies what is somebody else's.
                var status = stat()
                let isThere = unsafe lstat(folder + "/" + path, &status) == 0
                guard isThere, status.st_mode & S_IFMT == S_IFDIR else {
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
            result = VaultError(error, of: entry, at: shared.files.path(of: entry.file))
        }
    }

    func handOn() throws(VaultError) {
        shared.results.append(result)
    }

    private func check(_ entry: VaultEntry) throws(AgeError) {
        guard !shared.monitor.isCancelled() else { throw .cancelled }
        let part = shared.total.part(entry.storedSize)
        defer { part.end() }
        try shared.files.check(entry, opening: shared.identities, part.monitor)
    }
}

extension VaultFiles {
    /// Reads the whole file of an entry, and holds its chunks and the digest of its content against what was added.
    ///
    /// - Throws: `io`, `cancelled`, and whatever is wrong with it; `differentCiphertext` for another content.
    func check(
        _ entry: VaultEntry,
        opening identities: [any AgeIdentity],
        _ monitor: FileMonitor
    ) throws(AgeError) {
        let path = path(of: entry.file)
        let file: FileSource
        do throws(SystemError) { file = try FileSource(ofVault: path) } catch { throw .io(error) }
        let meters = AgeMeters(content: ByteMeter(digesting: true))
        try AgeFile.decrypt(file, to: nil, nil, identities, meters, monitor)
        guard meters.content.size == entry.size, meters.content.digest.map({ Array($0) }) == entry.digest else {
            throw .differentCiphertext
        }
    }

    /// Whether the file of an entry is what was added: all of it is read.
    ///
    /// - Parameter isCancelled: asked meanwhile; what was not read to its end is not known to be sound.
    func isSound(
        _ entry: VaultEntry,
        opening identities: [any AgeIdentity],
        isCancelled: @escaping @Sendable () -> Bool
    ) -> Bool {
        do throws(AgeError) {
            try check(entry, opening: identities, FileMonitor(isCancelled: isCancelled))
            return true
        } catch {
            return false
        }
    }
}
