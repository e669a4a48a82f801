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

    /// Makes a file that is not there yet, permissions 0600. Neither it nor its folder is synced.
    func create(_ path: String) throws(SystemError) -> Descriptor {
        do throws(SystemError) {
            return try Descriptor.open(path, O_WRONLY | O_CREAT | O_EXCL)
        } catch  where error.code == ENOENT {
            let folder = Folder.parent(of: path)
            guard unsafe mkdir(folder, 0o700) == 0 || errno == EEXIST else { throw .last("create the folder", folder) }
            return try Descriptor.open(path, O_WRONLY | O_CREAT | O_EXCL)
        }
    }

    /// Removes a file and what was to take its place, if they are there.
    func remove(_ id: VaultEntryID) throws(SystemError) {
        try remove(path(of: id) + Self.partSuffix)
        try remove(path(of: id))
    }

    private func remove(_ path: String) throws(SystemError) {
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

    /// Makes the folder for files.
    func make() throws(SystemError) { try Folder.create(root) }
}
