import Glibc
import MildamFiles
import MildamSystem

/// The files of a vault, by their opaque names: `files/a/abcdefghijklmnopqrstuvwxyz.age`.
struct VaultFiles {
    /// What every file's name ends with.
    static let suffix = ".age"
    /// What stands behind the name of a file that is to take another's place.
    static let partSuffix = ".part"

    /// The vault's folder.
    let folder: String

    /// The folder for files, in the vault.
    static let name = "files"
    /// The folder for files.
    var root: String { "\(folder)/\(Self.name)" }

    /// Where a file is.
    func path(of id: VaultEntryID) -> String {
        let name = id.description
        return "\(root)/\(name.prefix(1))/\(name)\(Self.suffix)"
    }

    /// The id that the name of a file shows; `nil` for what is no file of a vault.
    static func id(of path: String) -> VaultEntryID? {
        guard path.hasSuffix(suffix), let name = path.split(separator: "/").last else { return nil }
        return VaultEntryID(String(name.dropLast(suffix.count)))
    }

    /// Whether a path is that of what was to take a file's place, and not of something else that ends like it.
    static func isPart(_ path: String) -> Bool {
        path.hasSuffix(partSuffix) && id(of: String(path.dropLast(partSuffix.count))) != nil
    }

    /// Makes a file that is not there yet, permissions 0600. Neither it nor its folder is synced.
    ///
    /// - Throws: `SystemError`; as ``makeFolder(of:)``.
    func create(_ path: String) throws(SystemError) -> Descriptor {
        try makeFolder(of: path)
        return try Descriptor.open(path, O_WRONLY | O_CREAT | O_EXCL)
    }

    /// Makes the folder of a file, if it is not there.
    ///
    /// - Throws: `SystemError`, which distrusts a link to another: what is written there would be somebody's.
    func makeFolder(of path: String) throws(SystemError) {
        let folder = Folder.parent(of: path)
        do throws(SystemError) {
            try Folder.checkIsNoLink(folder)
        } catch  where error.code == ENOENT {
            guard unsafe mkdir(folder, 0o700) == 0 || errno == EEXIST else { throw .last("create the folder", folder) }
        }
    }

    /// Removes a file and what was to take its place, if they are there.
    ///
    /// - Throws: `SystemError`, which distrusts a link to another folder in the place of theirs.
    func remove(_ id: VaultEntryID) throws(SystemError) {
        try removePart(of: id)
        try remove(path(of: id))
    }

    /// Removes what was to take a file's place, if it is there.
    ///
    /// - Throws: as for the file itself.
    func removePart(of id: VaultEntryID) throws(SystemError) { try remove(path(of: id) + Self.partSuffix) }

    private func remove(_ path: String) throws(SystemError) {
        do throws(SystemError) {
            for folder in [root, Folder.parent(of: path)] { try Folder.checkIsNoLink(folder) }
        } catch  where error.code == ENOENT {
            return
        }
        guard unsafe unlink(path) == 0 || errno == ENOENT else { throw .last("remove", path) }
    }

    /// Runs `body`, and waits until every file, name and folder that it wrote is on the disk.
    func synchronizing<Result>(_ body: () throws(VaultError) -> Result) throws(VaultError) -> Result {
        let disk = try Disk(self)
        let result = try body()
        try disk.synchronize()
        return result
    }

    /// What the files are written to, opened before they are: the system says of a write that failed only to descriptors
    /// that were open when it did.
    struct Disk: ~Copyable {
        private let descriptor: Descriptor
        private let path: String

        init(_ files: VaultFiles) throws(VaultError) {
            path = files.root
            do throws(SystemError) {
                // Where it is gone, with every file, the entries can still be removed.
                try files.make()
                descriptor = try Descriptor.open(path, O_RDONLY | O_DIRECTORY)
            } catch {
                throw .io(error)
            }
        }

        /// Waits until everything that was written is on the disk: one call for many files.
        borrowing func synchronize() throws(VaultError) {
            do throws(SystemError) { try descriptor.synchronizeFileSystem(path: path) } catch { throw .io(error) }
        }
    }

    /// Makes the folder for files, if it is not there.
    ///
    /// - Throws: `SystemError`, which distrusts a link to another: what is removed there would be somebody's.
    func make() throws(SystemError) {
        try Folder.create(root)
        try Folder.checkIsNoLink(root)
    }
}
