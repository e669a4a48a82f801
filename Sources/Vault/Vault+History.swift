import MildamFiles
import MildamStorage
import MildamSystem

extension Vault {
    /// The former versions of an entry, the newest first: each a content that another took the place of.
    ///
    /// - Throws: `noEntry`, `storage`.
    public func history(of name: VaultName) throws(VaultError) -> [VaultEntry] {
        let entry = try entry(named: name)
        return try stored { () throws(StorageError) in try index.versions(of: entry.id) }
    }

    /// One of the former versions of an entry.
    ///
    /// - Parameter number: counted from 1, the newest.
    /// - Throws: `noEntry`, `noVersion`, `storage`.
    public func version(_ number: Int, of name: VaultName) throws(VaultError) -> VaultEntry {
        let history = try history(of: name)
        guard history.indices.contains(number - 1) else { throw .noVersion(name.description, number, history.count) }
        return history[number - 1]
    }

    /// Gives an entry the content of a former version. What it has becomes a former version.
    ///
    /// - Parameter number: counted from 1, the newest.
    /// - Returns: the entry as it is now.
    /// - Throws: `noEntry`, `noVersion`, `storage`, `io`; `fileMissing`, and `file` for a file of another size than was
    ///   written, with nothing changed.
    public func restore(_ name: VaultName, version number: Int = 1) throws(VaultError) -> VaultEntry {
        let (entry, version) = (try entry(named: name), try version(number, of: name))
        try checkSize(of: version)
        let restored = version.present(as: entry)
        return try changeNames { records throws(StorageError) -> Result<VaultEntry, VaultError> in
            let checked = try index.lastCheck(of: version.id)
            try index.delete(version.id)
            try index.replace(entry, by: restored, at: WallClock.system.milliseconds)
            try index.check([restored.id], at: checked)
            records.append(NameRecord(restored))
            return .success(restored)
        }
    }

    /// Looks whether the file of a content is there, with the size that was written, where that is known.
    private func checkSize(of entry: VaultEntry) throws(VaultError) {
        let size = WholeFile.size(files.path(of: entry.file))
        guard let size else { throw .fileMissing(entry.name.description) }
        guard entry.storedSize == 0 || size == entry.storedSize else {
            throw .file(entry.name.description, .differentCiphertext)
        }
    }

    /// Writes the content of a former version.
    ///
    /// - Parameter number: counted from 1, the newest.
    /// - Throws: as ``get(_:to:monitor:)``; `noVersion`.
    public func get(
        _ name: VaultName,
        version number: Int,
        to target: FileTarget,
        monitor: FileMonitor = FileMonitor()
    ) throws(VaultError) {
        try write(try version(number, of: name), to: target, monitor)
    }

    /// Removes former versions for good.
    ///
    /// - Parameters:
    ///   - entries: whose.
    ///   - count: how many of the newest stay.
    ///   - moment: those that were replaced at it or later stay, too; in milliseconds since 1970.
    /// - Returns: how many were removed.
    /// - Throws: `storage`, `io`.
    @discardableResult
    public func prune(
        _ entries: [VaultEntry],
        keeping count: Int = 0,
        replacedBefore moment: Int64 = .max
    ) throws(VaultError) -> Int {
        let (removed, free) = try change { () throws(StorageError) -> (Int, [VaultEntryID]) in
            var (removed, files) = (0, [VaultEntryID]())
            for entry in entries {
                for version in try index.versions(of: entry.id).dropFirst(count) {
                    guard let replaced = version.replaced, replaced < moment else { continue }
                    try index.delete(version.id)
                    files.append(version.file)
                    removed += 1
                }
            }
            if removed > 0 { try index.forgetNames() }
            return (removed, try index.release(files))
        }
        try removeFiles(free)
        if removed > 0 {
            try settleNames()
            try cutLog()
        }
        return removed
    }
}
