import Glibc
import MildamFiles
import MildamStorage
import MildamSystem

extension Vault {
    /// The entry of a name.
    ///
    /// - Throws: `noEntry`, `storage`.
    public func entry(named name: VaultName) throws(VaultError) -> VaultEntry {
        let entry = try stored { () throws(StorageError) in try index.entry(named: name) }
        guard let entry else { throw .noEntry(name.description) }
        return entry
    }

    /// Everything in the vault, or in a folder of it, by name.
    public func entries(in folder: VaultName? = nil) throws(VaultError) -> [VaultEntry] {
        var entries = try stored { () throws(StorageError) in try index.entries() }
        if let folder { entries.removeAll { !$0.name.isWithin(folder) } }
        entries.sort { $0.name < $1.name }
        return entries
    }

    /// What has all of these words in its name, its type or its tags, in any case of letters, by name.
    public func search(_ words: [String]) throws(VaultError) -> [VaultEntry] {
        let words = words.map { $0.lowercased() }
        return try entries().filter { entry in
            let text = ([entry.name.description, entry.type] + entry.tags).joined(separator: "\n").lowercased()
            return words.allSatisfy(text.contains)
        }
    }

    /// Writes an entry's content.
    ///
    /// - Throws: `noEntry`, `file`, `io`. Of a file nothing is left then; to a descriptor, the chunks before the one that
    ///   failed, each verified, are out.
    public func get(
        _ name: VaultName,
        to target: FileTarget,
        monitor: FileMonitor = FileMonitor()
    ) throws(VaultError) {
        let path = files.path(of: try entry(named: name).id)
        let source = try system { () throws(SystemError) in try FileSource(path) }
        do throws(AgeError) {
            try AgeFile.decrypt(source, to: target, identities: keys.identities, monitor: monitor)
        } catch {
            throw failure(name, error)
        }
    }

    /// An error of a file, as one of the vault.
    func failure(_ name: VaultName, _ error: AgeError) -> VaultError {
        switch error {
        case .io(let error): .io(error)
        case .cancelled: .cancelled
        default: .file(name.description, error)
        }
    }
}
