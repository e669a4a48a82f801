import MildamStorage

extension VaultIndex {
    /// Makes a content the present one of an entry; what it had is a former version from then on.
    ///
    /// - Parameters:
    ///   - holder: the entry, as it is.
    ///   - content: what it becomes, under the same id and name.
    ///   - moment: in milliseconds since 1970; of two versions, the later one is shown to be.
    func replace(_ holder: VaultEntry, by content: VaultEntry, at moment: Int64) throws(StorageError) {
        let newest = try versions(of: holder.id).first?.replaced ?? 0
        let former = holder.former(as: .random(), replaced: max(moment, newest &+ 1))
        _ = try insert(former)
        // It has the same file, of which as much is known.
        try check([former.id], at: lastCheck(of: holder.id))
        guard try update(content) else { throw damaged("an entry's name") }
    }

    /// Takes out the former versions of an entry behind the newest ones, and gives back files that nothing has any more.
    func dropVersions(of id: VaultEntryID, behind count: Int) throws(StorageError) -> [VaultEntryID] {
        let versions = try versions(of: id).dropFirst(count)
        for version in versions { try delete(version.id) }
        return try release(versions.map(\.file))
    }

    /// Takes out an entry with its former versions, whether they can be read or not.
    ///
    /// - Returns: the files that they had.
    func deleteAll(of id: VaultEntryID) throws(StorageError) -> [VaultEntryID] {
        let files = try database.rows("SELECT coalesce(file, id) FROM entries WHERE id = ?1 OR entry = ?1", id.bytes) {
            row throws(StorageError) in try row.bytes(0)
        }
        try database.execute("DELETE FROM entries WHERE id = ?1 OR entry = ?1", id.bytes)
        return files.compactMap { VaultEntryID($0) }
    }

    /// Files that nothing has any more are about to be removed.
    ///
    /// - Returns: which they are.
    func release(_ files: [VaultEntryID]) throws(StorageError) -> [VaultEntryID] {
        var free: [VaultEntryID] = []
        for file in Set(files) {
            let isFree = try !refers(to: file)
            if isFree { free.append(file) }
        }
        try unsettle(free, removing: true)
        return free
    }
}
