import MildamStorage
import MildamSystem

extension Vault {
    /// Calls an entry something else.
    ///
    /// - Throws: `noEntry`, `nameTaken`, `storage`.
    public func move(_ name: VaultName, to other: VaultName) throws(VaultError) {
        var entry = try entry(named: name)
        entry.name = other
        let isFree = try change { () throws(StorageError) in try index.update(entry) }
        guard isFree else { throw .nameTaken(other.description) }
    }

    /// Adds tags to an entry, and takes others away.
    ///
    /// - Throws: `noEntry`, `invalidTag`, `storage`.
    public func tag(_ name: VaultName, adding: [String], removing: [String] = []) throws(VaultError) {
        var entry = try entry(named: name)
        entry.tags = try VaultEntry.tags(Array(Set(entry.tags).union(adding).subtracting(removing)))
        _ = try change { () throws(StorageError) in try index.update(entry) }
    }

    /// Removes entries. They are gone when this returns, the names first.
    ///
    /// - Throws: `noEntry` before anything is removed; `storage`, `io`.
    public func remove(_ names: [VaultName]) throws(VaultError) {
        var ids: [VaultEntryID] = []
        for name in names { ids.append(try entry(named: name).id) }
        try change { () throws(StorageError) in
            try index.unsettle(ids, removing: true)
            for id in ids { try index.delete(id) }
        }
        try files.synchronizing { () throws(VaultError) in
            for id in ids { try system { () throws(SystemError) in try files.remove(id) } }
        }
        try change { () throws(StorageError) in try index.settle(ids) }
        do throws(StorageError) {
            try index.database.truncateWAL()
        } catch .busy {
            // Somebody reads; their names are in the log until it is cut the next time.
        } catch {
            throw VaultError(index: error)
        }
    }
}
