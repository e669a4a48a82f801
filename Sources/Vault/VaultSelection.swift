import MildamStorage

/// What a name stands for in a vault: an entry, or everything in a folder.
public enum VaultSelection: Sendable {
    /// The entry of that name.
    case entry(VaultEntry)
    /// The folder of that name, and what is in it, by name: one entry or more.
    case folder(VaultName, [VaultEntry])

    /// The name.
    public var name: VaultName {
        switch self {
        case .entry(let entry): entry.name
        case .folder(let name, _): name
        }
    }

    /// The entry, or everything in the folder.
    public var entries: [VaultEntry] {
        switch self {
        case .entry(let entry): [entry]
        case .folder(_, let entries): entries
        }
    }
}

extension Vault {
    /// Finds what a name stands for: the entry that is called so or, where there is none, the folder. A name that ends
    /// with a slash is a folder's.
    ///
    /// - Throws: `noEntry`, `invalidName`, `storage`.
    public func selection(_ text: String) throws(VaultError) -> VaultSelection {
        let name = try VaultName.folder(text)
        if name.description == text, let entry = try holder(of: name) { return .entry(entry) }
        let entries = try entries(inside: name)
        guard !entries.isEmpty else { throw .noEntry(name.description) }
        return .folder(name, entries)
    }

    /// What is in a folder, by name, without an entry that is called like the folder.
    func entries(inside folder: VaultName) throws(VaultError) -> [VaultEntry] {
        try entries(in: folder).filter { $0.name != folder }
    }

    /// The entry of a name, if there is one.
    func holder(of name: VaultName) throws(VaultError) -> VaultEntry? {
        try stored { () throws(StorageError) in try index.entry(named: name) }
    }
}
