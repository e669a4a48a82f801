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
    /// - Throws: `io` with `ENOSPC`, before anything is done, where there is no room for the copies that are there at one
    ///   time; `notRekeyed` where files cannot be read, once all others were rewritten; `storage`, `cancelled`.
    public func rekey(
        to recipients: [String],
        contentToo: Bool = false,
        monitor: FileMonitor = FileMonitor()
    ) throws(VaultError) {
        try checkSpace(for: try stored { () throws(StorageError) in try index.entries() })
        // Nobody would rewrite them, and nothing would open them.
        let unknown = try unknownFiles().filter { $0.hasSuffix(VaultFiles.suffix) }
        guard unknown.isEmpty else { throw .unknownFiles(unknown.count) }
        let isSame = keys.recipients == recipients && (keys.current.contentToo || !contentToo)
        if isRekeying {
            do throws(VaultError) {
                try rewriteAll(monitor)
            } catch .notRekeyed(let count, let error, _) where !isSame {
                throw .notRekeyed(count, error, hasBegun: false)
            }
            if isSame { return }
        }
        var next = keys
        next.begin(recipients, contentToo: contentToo)
        // Someone who is not known is found out before anything is written.
        _ = try next.allRecipients()
        try save(next)
        try rewriteAll(monitor)
    }

    /// Rewrites every file that is for an older identity, and forgets those.
    private func rewriteAll(_ monitor: FileMonitor) throws(VaultError) {
        let recipients = try keys.allRecipients()
        var rest = try stored { () throws(StorageError) in try index.entries(notOf: keys.current.number) }[...]
        let total = TotalMonitor(monitor, total: rest.reduce(0) { $0 + $1.storedSize })
        var failures: [VaultError] = []
        while !rest.isEmpty {
            var part: [VaultEntry] = []
            var bytes = 0
            while let next = rest.first, part.isEmpty || part.count < Self.rewrittenAtOnce,
                part.isEmpty || bytes + next.storedSize <= Self.rewrittenBytes
            {
                part.append(next)
                bytes += next.storedSize
                rest = rest.dropFirst()
            }
            failures += try rewrite(part, recipients, keys.current.contentToo, total)
            if monitor.isCancelled() { throw .cancelled }
        }
        if let first = failures.first { throw .notRekeyed(failures.count, first, hasBegun: true) }
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
        _ entries: [VaultEntry],
        _ recipients: [any AgeRecipient],
        _ contentToo: Bool,
        _ total: TotalMonitor
    ) throws(VaultError) -> [VaultError] {
        var changed: [VaultEntry] = []
        var failures: [VaultError] = []
        do throws(VaultError) {
            try files.synchronizing { () throws(VaultError) in
                for entry in entries {
                    let part = total.part(entry.storedSize)
                    defer { part.end() }
                    do throws(VaultError) {
                        changed.append(try rewritten(entry, recipients, contentToo, part.monitor))
                    } catch {
                        guard error.concernsOneFile else { throw error }
                        unsafe unlink(files.path(of: entry.id) + VaultFiles.partSuffix)
                        failures.append(error)
                    }
                }
            }
        } catch {
            // They may be what there was no room for.
            for entry in entries { unsafe unlink(files.path(of: entry.id) + VaultFiles.partSuffix) }
            throw error
        }
        try files.synchronizing { () throws(VaultError) in
            for entry in changed {
                let path = files.path(of: entry.id)
                guard unsafe Glibc.rename(path + VaultFiles.partSuffix, path) == 0 else {
                    throw .io(.last("rename to", path))
                }
            }
        }
        try change { () throws(StorageError) in
            for entry in changed { try index.updateRewritten(entry) }
        }
        return failures
    }

    /// Writes one file beside the old one.
    private func rewritten(
        _ entry: VaultEntry,
        _ recipients: [any AgeRecipient],
        _ contentToo: Bool,
        _ monitor: FileMonitor
    ) throws(VaultError) -> VaultEntry {
        var entry = entry
        let path = files.path(of: entry.id)
        guard WholeFile.exists(path) else { throw .fileMissing(entry.name.description) }
        let target = try system { () throws(SystemError) in
            try Descriptor.open(path + VaultFiles.partSuffix, O_WRONLY | O_CREAT | O_TRUNC)
        }
        do throws(AgeError) {
            let known = keys.identities
            entry.storedSize =
                contentToo
                ? try AgeFile.reencrypt(path, to: target, identities: known, recipients: recipients, monitor: monitor)
                : try AgeFile.rewrap(path, to: target, identities: known, recipients: recipients, monitor: monitor)
        } catch {
            throw VaultError(error, of: entry, at: path)
        }
        entry.generation = keys.current.number
        return entry
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
