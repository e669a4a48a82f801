import MildamStorage

extension VaultIndex {
    /// Gives all that has a file another one in its place, with the same content.
    ///
    /// - Parameter content: what is said of the other file.
    /// - Returns: the entries and former versions, as they are now.
    func replaceFile(_ file: VaultEntryID, by content: VaultEntry) throws(StorageError) -> [VaultEntry] {
        var moved: [VaultEntry] = []
        for var entry in try entries(ofFile: file) where entry.digest == content.digest {
            entry.file = content.file
            entry.storedSize = content.storedSize
            entry.generation = content.generation
            guard try update(entry) else { throw damaged("an entry's name") }
            moved.append(entry)
        }
        return moved
    }
}
