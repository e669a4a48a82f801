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
        try stored { () throws(StorageError) in
            try index.entries { entry in folder.map(entry.name.isWithin) ?? true }
        }
    }

    /// What has all of these words in its name, its type or its tags, in any case of letters, by name.
    public func search(_ words: [String]) throws(VaultError) -> [VaultEntry] {
        let words = words.map(SearchWord.init)
        return try stored { () throws(StorageError) in
            try index.entries { entry in
                words.allSatisfy { word in
                    word.isIn(entry.name.description) || word.isIn(entry.type) || entry.tags.contains(where: word.isIn)
                }
            }
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
        try write(try entry(named: name), to: target, monitor)
    }

    /// Writes the content of an entry or a former version.
    func write(_ entry: VaultEntry, to target: FileTarget, _ monitor: FileMonitor) throws(VaultError) {
        do throws(AgeError) {
            do throws(AgeError) {
                try read(entry, to: target, monitor)
            } catch .noIdentityMatches where reloadKeys() {
                // Rekeyed since this vault was opened; nothing is out before the header is.
                try read(entry, to: target, monitor)
            }
        } catch {
            // It may have been removed since.
            let failure = VaultError(error, of: entry, at: files.path(of: entry.file))
            if case .fileMissing = failure, entry.entry == nil { _ = try self.entry(named: entry.name) }
            throw failure
        }
    }

    private func read(_ entry: VaultEntry, to target: FileTarget, _ monitor: FileMonitor) throws(AgeError) {
        let source: FileSource
        do throws(SystemError) {
            source = try FileSource(ofVault: files.path(of: entry.file))
        } catch {
            throw .io(error)
        }
        try AgeFile.decrypt(source, to: target, identities: keys.identities, monitor: monitor) {
            content throws(AgeError) in
            guard content.size == entry.size, content.digest.map({ Array($0) }) == entry.digest else {
                throw .differentCiphertext
            }
        }
    }

    /// - Returns: whether the keys have changed since they were read.
    private func reloadKeys() -> Bool {
        let numbers = keys.generations.map(\.number)
        guard let now = try? Self.keys(in: folder, under: source).keys, now.generations.map(\.number) != numbers
        else { return false }
        keys = now
        return true
    }
}

extension VaultError {
    /// An error of an entry's file, which is at a path.
    init(_ error: AgeError, of entry: VaultEntry, at path: String) {
        self =
            switch error {
            case .io(let error) where error.code == ENOENT && error.subject == path:
                .fileMissing(entry.name.description)
            case .io(let error): .io(error)
            case .cancelled: .cancelled
            case .noIdentityMatches where entry.generation == VaultKeys.noGeneration:
                .notRewritten(entry.name.description)
            default: .file(entry.name.description, error)
            }
    }
}

extension FileSource {
    /// Opens a file of a vault: a regular file, and no link to one.
    convenience init(ofVault path: String) throws(SystemError) {
        try self.init(owning: try Descriptor.open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK), path: path)
        guard stamp != nil else { throw SystemError("read", path, code: EINVAL) }
    }
}
