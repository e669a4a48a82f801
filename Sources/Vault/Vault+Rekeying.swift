import CFiles
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
    /// can then go on to. Interrupted, it is taken up by the next call, to whose recipients all files then go.
    ///
    /// - Parameters:
    ///   - recipients: who can open every file beside the vault itself, from now on.
    ///   - contentToo: whether every file gets a key of its own that nobody has ever had, and is encrypted anew.
    ///   - monitor: told of the files that are done.
    /// - Throws: `io` with `ENOSPC`, before anything is done, where there is no room for the largest file's copy;
    ///   `file`, `storage`, `cancelled`.
    public func rekey(
        to recipients: [String],
        contentToo: Bool = false,
        monitor: FileMonitor = FileMonitor()
    ) throws(VaultError) {
        let all = try stored { () throws(StorageError) in try index.entries() }
        try checkSpace(for: all)
        try begin(recipients)
        let targets = try self.recipients()
        var rest = try stored { () throws(StorageError) in try index.entries(before: keys.current.number) }[...]
        let total = rest.count
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
            try rewrite(part, targets, contentToo)
            monitor.progress(total - rest.count, total)
            if monitor.isCancelled() { throw .cancelled }
        }
        // No file needs the older identities any more.
        keys.generations.removeFirst(keys.generations.count - 1)
        try saveKeys()
    }

    private func begin(_ recipients: [String]) throws(VaultError) {
        let next = keys.current.number + 1
        keys.generations.append(VaultKeys.Generation(number: next, identity: AgeX25519Identity()))
        keys.recipients = recipients
        // Someone who is not known is found out before anything is written.
        _ = try self.recipients()
        try saveKeys()
    }

    private func saveKeys() throws(VaultError) {
        let root: SymmetricKey
        do throws(StorageError) { root = try source.rootKey(making: false) } catch { throw .storage(error) }
        try keys.save(in: folder, under: root)
    }

    /// Writes new files beside the old ones, and then puts them in their places.
    private func rewrite(
        _ entries: [VaultEntry],
        _ recipients: [any AgeRecipient],
        _ contentToo: Bool
    ) throws(VaultError) {
        var changed: [VaultEntry] = []
        for var entry in entries {
            let path = files.path(of: entry.id)
            let target = try system { () throws(SystemError) in
                try Descriptor.open(path + VaultFiles.partSuffix, O_WRONLY | O_CREAT | O_TRUNC)
            }
            do throws(AgeError) {
                entry.storedSize =
                    contentToo
                    ? try AgeFile.reencrypt(path, to: target, identities: keys.identities, recipients: recipients)
                    : try AgeFile.rewrap(path, to: target, identities: keys.identities, recipients: recipients)
            } catch {
                unsafe unlink(path + VaultFiles.partSuffix)
                throw failure(entry.name, error)
            }
            entry.generation = keys.current.number
            changed.append(entry)
        }
        try system { () throws(SystemError) in try files.synchronize() }
        for entry in changed {
            let path = files.path(of: entry.id)
            guard unsafe Glibc.rename(path + VaultFiles.partSuffix, path) == 0 else {
                throw .io(.last("rename to", path))
            }
        }
        try system { () throws(SystemError) in try files.synchronize() }
        try change { () throws(StorageError) in
            for entry in changed { _ = try index.update(entry) }
        }
    }

    /// Room for the copies that are there at one time.
    private func checkSpace(for entries: [VaultEntry]) throws(VaultError) {
        let largest = entries.map(\.storedSize).max() ?? 0
        let needed = max(largest, min(entries.reduce(0) { $0 + $1.storedSize }, Self.rewrittenBytes))
        var status = statvfs()
        guard unsafe statvfs(folder, &status) == 0 else { throw .io(.last("look at", folder)) }
        guard UInt64(needed) <= UInt64(status.f_bavail) * UInt64(status.f_frsize) else {
            throw .io(SystemError("write to", folder, code: ENOSPC))
        }
    }
}
