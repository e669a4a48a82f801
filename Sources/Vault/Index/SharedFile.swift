/// A file, by one of those that have it, and all of them.
struct SharedFile {
    /// One that has it: a present one, where there is any.
    fileprivate(set) var entry: VaultEntry
    /// All that have it.
    fileprivate(set) var all: [VaultEntry]

    var ids: [VaultEntryID] { all.map(\.id) }
}

extension [VaultEntry] {
    /// Their files, each once.
    var byFile: [SharedFile] {
        var (files, places): ([SharedFile], [VaultEntryID: Int]) = ([], [:])
        for entry in self {
            if let place = places[entry.file] {
                files[place].all.append(entry)
                if files[place].entry.entry != nil { files[place].entry = entry }
            } else {
                places[entry.file] = files.count
                files.append(SharedFile(entry: entry, all: [entry]))
            }
        }
        return files
    }
}
