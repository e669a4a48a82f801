import FoundationEssentials
import Glibc
import MildamCrypto
import MildamFiles
import MildamStorage
import MildamSystem

extension Vault {
    /// Files that are rewritten, and synced, together.
    private static let rewrittenAtOnce = 256
    private static let rewrittenBytes = 1 << 30

    /// Whether a rekeying was begun and not finished.
    public var isRekeying: Bool { keys.generations.count > 1 }

    /// Gives the vault a new identity and other recipients, and every file a header for them.
    ///
    /// The content keeps its key unless it is asked for: whoever could open a file, and kept a copy of it or of its key,
    /// can then go on to. One that was interrupted is finished by the next: by the same request from where it was, by
    /// another before that begins.
    ///
    /// - Parameters:
    ///   - recipients: who can open every file beside the vault itself, from now on.
    ///   - contentToo: whether every file gets a key of its own that nobody has ever had, and is encrypted anew.
    ///   - monitor: told of the bytes of all files that are rewritten.
    /// - Throws: before anything is done, `invalidRecipient`, `tooManyRecipients`, `recipientsTooLarge`, and `io` with `ENOSPC`
    ///   where there is no room for the copies that are there at one time; `notRekeyed` where files cannot be read, once all
    ///   others were rewritten; `storage`, `cancelled`.
    public func rekey(
        to recipients: [String],
        contentToo: Bool = false,
        monitor: FileMonitor = FileMonitor()
    ) throws(VaultError) {
        // Someone who is not known is found out before anything is written.
        let named = try VaultKeys.kept(recipients)
        let isRecovering = try stored { () throws(StorageError) in try index.isRecovering() }
        guard !isRecovering else { throw .indexDamaged(index.damaged("its repair was interrupted: what is in it")) }
        let entries = try stored { () throws(StorageError) in try index.entries(formerToo: true) }
        try checkSpace(for: entries.byFile.map(\.entry))
        // Nobody would rewrite them, and nothing would open them.
        let unknown = try unknownFiles(beside: entries).filter { $0.hasSuffix(VaultFiles.suffix) }
        guard unknown.isEmpty else { throw .unknownFiles(unknown.count) }
        let isSame = keys.recipients == named && (keys.current.contentToo || !contentToo)
        if isRekeying {
            do throws(VaultError) {
                try rewriteAll(monitor)
            } catch .notRekeyed(let count, let error, _) where !isSame {
                throw .notRekeyed(count, error, hasBegun: false)
            }
            if isSame { return }
        }
        var next = keys
        try next.begin(recipients, contentToo: contentToo)
        try save(next)
        try rewriteAll(monitor)
    }

    /// Rewrites every file that is for an older identity, and the names, and forgets those identities.
    ///
    /// - Parameter others: what opens files that are for no identity of the vault.
    func rewriteAll(_ monitor: FileMonitor, opening others: [any AgeIdentity] = []) throws(VaultError) {
        let recipients = try keys.allRecipients()
        let identities = keys.identities + others
        var rest = try stored { () throws(StorageError) in try index.entries(notOf: keys.current.number) }.byFile[...]
        let total = TotalMonitor(monitor, total: rest.reduce(0) { $0 + $1.entry.storedSize })
        var failures: [VaultError] = []
        while !rest.isEmpty {
            var part: [SharedFile] = []
            var bytes = 0
            while let next = rest.first, part.isEmpty || part.count < Self.rewrittenAtOnce,
                part.isEmpty || bytes + next.entry.storedSize <= Self.rewrittenBytes
            {
                part.append(next)
                bytes += next.entry.storedSize
                rest = rest.dropFirst()
            }
            failures += try rewrite(part, recipients, identities, total)
            if monitor.isCancelled() { throw .cancelled }
        }
        if let first = failures.first { throw .notRekeyed(failures.count, first, hasBegun: true) }
        // For whoever may open the files from now on, and for nobody else.
        try writeNames()
        var finished = keys
        finished.end()
        try save(finished)
    }

    func save(_ next: VaultKeys) throws(VaultError) {
        guard isChanging else { throw .storage(.misuse("the vault was opened to look only")) }
        let root: SymmetricKey
        do throws(StorageError) { root = try source.rootKey(making: false) } catch { throw .storage(error) }
        try next.save(in: folder, under: root)
        keys = next
    }

    /// Writes new files beside the old ones, and then puts them in their places.
    ///
    /// - Returns: what is wrong with those that cannot be read.
    private func rewrite(
        _ shared: [SharedFile],
        _ recipients: [any AgeRecipient],
        _ identities: [any AgeIdentity],
        _ total: TotalMonitor
    ) throws(VaultError) -> [VaultError] {
        var changed: [(file: SharedFile, storedSize: Int)] = []
        var failures: [VaultError] = []
        do throws(VaultError) {
            try files.synchronizing { () throws(VaultError) in
                for file in shared {
                    let entry = file.entry
                    let part = total.part(entry.storedSize)
                    defer { part.end() }
                    do throws(VaultError) {
                        changed.append((file, try rewritten(entry, recipients, identities, part.monitor)))
                    } catch {
                        guard error.concernsOneFile else { throw error }
                        try? files.removePart(of: entry.file)
                        failures.append(error)
                    }
                }
            }
        } catch {
            // They may be what there was no room for.
            for file in shared { try? files.removePart(of: file.entry.file) }
            throw error
        }
        try files.synchronizing { () throws(VaultError) in
            for (file, _) in changed {
                let path = files.path(of: file.entry.file)
                guard unsafe Glibc.rename(path + VaultFiles.partSuffix, path) == 0 else {
                    throw .io(.last("rename to", path))
                }
            }
        }
        try change { () throws(StorageError) in
            for (file, storedSize) in changed {
                for var entry in file.all {
                    entry.storedSize = storedSize
                    entry.generation = keys.current.number
                    try index.updateRewritten(entry)
                }
            }
        }
        return failures
    }

    /// Writes one file beside the old one.
    ///
    /// - Returns: its size in bytes.
    private func rewritten(
        _ entry: VaultEntry,
        _ recipients: [any AgeRecipient],
        _ known: [any AgeIdentity],
        _ monitor: FileMonitor
    ) throws(VaultError) -> Int {
        let path = files.path(of: entry.file)
        // Of a pipe, nobody waits for the other end.
        guard WholeFile.size(path) != nil else { throw .fileMissing(entry.name.description) }
        let target = try system { () throws(SystemError) -> Descriptor in
            // What has the name already may be a link to somebody's file.
            try files.removePart(of: entry.file)
            return try files.create(path + VaultFiles.partSuffix)
        }
        do throws(AgeError) {
            return keys.current.contentToo
                ? try AgeFile.reencrypt(path, to: target, identities: known, recipients: recipients, monitor: monitor)
                : try AgeFile.rewrap(path, to: target, identities: known, recipients: recipients, monitor: monitor)
        } catch {
            throw VaultError(error, of: entry, at: path)
        }
    }

    /// Room for the copies that are there at one time.
    private func checkSpace(for entries: [VaultEntry]) throws(VaultError) {
        let largest = entries.map(\.storedSize).max() ?? 0
        let needed = max(largest, min(entries.reduce(0) { $0 + $1.storedSize }, Self.rewrittenBytes))
        let room = try system { () throws(SystemError) in try DiskRoom(at: folder) }
        guard needed <= room.freeBytes else {
            throw .io(SystemError("write to", folder, code: ENOSPC))
        }
    }
}
