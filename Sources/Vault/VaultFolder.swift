/// What is in a folder of a vault, all below it added up.
public struct VaultFolder: Sendable, Equatable {
    /// What it is called.
    public let name: VaultName
    /// How many entries are in it: one or more.
    public private(set) var count: Int
    /// The size of their contents in bytes.
    public private(set) var size: Int
    /// When the newest of their contents was last changed, in seconds since 1970.
    public private(set) var modified: Int64

    private init(_ name: VaultName, _ entry: VaultEntry) {
        self.name = name
        count = 1
        size = entry.size
        modified = entry.modified
    }

    private mutating func add(_ entry: VaultEntry) {
        count += 1
        size += entry.size
        modified = max(modified, entry.modified)
    }

    /// Parts what is in a folder into the folders right in it, and the entries that are in none of them.
    ///
    /// - Parameters:
    ///   - entries: by name. Each is in the folder, or called like it.
    ///   - folder: `nil` for the whole vault.
    /// - Returns: both by name.
    public static func level(
        of entries: [VaultEntry],
        in folder: VaultName?
    ) -> (folders: [VaultFolder], entries: [VaultEntry]) {
        let start = folder.map { $0.description.utf8.count + 1 } ?? 0
        var (folders, places): ([VaultFolder], [VaultName: Int]) = ([], [:])
        var single: [VaultEntry] = []
        for entry in entries {
            guard let name = entry.name.folder(behind: start) else {
                single.append(entry)
                continue
            }
            if let place = places[name] {
                folders[place].add(entry)
            } else {
                places[name] = folders.count
                folders.append(VaultFolder(name, entry))
            }
        }
        return (folders, single)
    }
}
