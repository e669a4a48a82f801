import MildamStorage
import MildamSystem

extension Vault {
    /// Calls an entry something else.
    ///
    /// - Throws: `noEntry`, `nameTaken`, `storage`.
    public func move(_ name: VaultName, to other: VaultName) throws(VaultError) {
        try rename([(try entry(named: name), other)])
    }

    /// Calls an entry, or everything in a folder, something else: all of it or nothing.
    ///
    /// - Parameter place: the new name. Where it ends with a slash, or a folder of the vault is called so, that is the
    ///   folder to move into, and the last part of the name stays.
    /// - Returns: what the entry or the folder is called now.
    /// - Throws: `nameTaken`; `movedIntoItself` for a folder; `invalidName`, `storage`.
    public func move(_ selection: VaultSelection, to place: String) throws(VaultError) -> VaultName {
        var name = try VaultName.folder(place)
        var isFolder = name.description != place
        if !isFolder, try holder(of: name) == nil { isFolder = try !entries(inside: name).isEmpty }
        if isFolder { name = try name.appending(selection.name.lastPart) }
        switch selection {
        case .entry(let entry):
            try rename([(entry, name)])
        case .folder(let folder, let entries):
            guard !name.isWithin(folder) else { throw .movedIntoItself(folder.description) }
            guard try holder(of: name) == nil else { throw .nameTaken(name.description) }
            var moved: [(entry: VaultEntry, name: VaultName)] = []
            for entry in entries { moved.append((entry, try name.appending(entry.name.below(folder)))) }
            try rename(moved)
        }
        return name
    }

    /// Gives entries other names: all of them or none.
    private func rename(_ moved: [(entry: VaultEntry, name: VaultName)]) throws(VaultError) {
        try changeNames { records throws(StorageError) -> Result<Void, VaultError> in
            for (entry, name) in moved {
                var renamed = entry
                renamed.name = name
                guard try index.update(renamed) else { return .failure(.nameTaken(name.description)) }
                records.append(NameRecord(renamed, was: entry.name))
            }
            return .success(())
        }
    }

    /// Adds tags to entries, and takes others away.
    ///
    /// - Throws: `invalidTag`, with nothing changed; `storage`.
    public func tag(_ entries: [VaultEntry], adding: [String], removing: [String] = []) throws(VaultError) {
        var tagged = entries
        for place in tagged.indices {
            let tags = Set(tagged[place].tags).union(adding).subtracting(removing)
            tagged[place].tags = try VaultEntry.tags(Array(tags))
        }
        try changeNames { records throws(StorageError) -> Result<Void, VaultError> in
            for entry in tagged {
                let isUpdated = try index.update(entry)
                if isUpdated { records.append(NameRecord(entry)) }
            }
            return .success(())
        }
    }

    /// Adds tags to an entry, and takes others away.
    ///
    /// - Throws: `noEntry`, `invalidTag`, `storage`.
    public func tag(_ name: VaultName, adding: [String], removing: [String] = []) throws(VaultError) {
        try tag([try entry(named: name)], adding: adding, removing: removing)
    }

    /// Removes entries and their former versions. They are gone when this returns, the names first.
    ///
    /// - Throws: `noEntry` before anything is removed; `storage`, `io`.
    public func remove(_ names: [VaultName]) throws(VaultError) {
        var entries: [VaultEntry] = []
        for name in names { entries.append(try entry(named: name)) }
        try remove(entries)
    }

    /// Removes entries and their former versions: all of them or, where it is interrupted before the names are gone, none.
    ///
    /// - Throws: `storage`, `io`.
    public func remove(_ entries: [VaultEntry]) throws(VaultError) {
        let free = try change { () throws(StorageError) -> [VaultEntryID] in
            var files: [VaultEntryID] = []
            for entry in entries { files += try index.deleteAll(of: entry.id) }
            try index.forgetNames()
            return try index.release(files)
        }
        try removeFiles(free)
        try settleNames()
        try cutLog()
    }

    /// Removes files that nothing has any more, of which the index knows that they are being removed.
    func removeFiles(_ ids: [VaultEntryID]) throws(VaultError) {
        guard !ids.isEmpty else { return }
        try files.synchronizing { () throws(VaultError) in
            for id in ids { try system { () throws(SystemError) in try files.remove(id) } }
        }
        try change { () throws(StorageError) in try index.settle(ids) }
    }

    /// Takes what was removed out of the index's log, too.
    func cutLog() throws(VaultError) {
        do throws(StorageError) {
            try index.database.truncateWAL()
        } catch .busy {
            // Somebody reads; their names are in the log until it is cut the next time.
        } catch {
            throw VaultError(index: error)
        }
    }
}
