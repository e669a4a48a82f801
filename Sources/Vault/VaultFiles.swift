import CFiles
import Glibc
import MildamFiles
import MildamSystem

/// The files of a vault, by their opaque names: `files/ab/abcdefghijklmnopqrstuvwxyz.age`.
struct VaultFiles {
    /// What every file's name ends with.
    static let suffix = ".age"
    /// What stands behind the name of a file that is to take another's place.
    static let partSuffix = ".part"

    /// The vault's folder.
    let folder: String

    private var files: String { folder + "/files" }

    /// Where a file is.
    func path(of id: VaultEntryID) -> String {
        let name = id.description
        return "\(files)/\(name.prefix(2))/\(name)\(Self.suffix)"
    }

    /// Makes a file that is not there yet, permissions 0600. Neither it nor its folder is synced.
    func create(_ id: VaultEntryID) throws(SystemError) -> Descriptor {
        let path = path(of: id)
        do throws(SystemError) {
            return try Descriptor.open(path, O_WRONLY | O_CREAT | O_EXCL)
        } catch where error.code == ENOENT {
            let folder = Folder.parent(of: path)
            guard unsafe mkdir(folder, 0o700) == 0 || errno == EEXIST else { throw .last("create the folder", folder) }
            return try Descriptor.open(path, O_WRONLY | O_CREAT | O_EXCL)
        }
    }

    /// Removes a file, if it is there.
    func remove(_ id: VaultEntryID) throws(SystemError) {
        let path = path(of: id)
        guard unsafe unlink(path) == 0 || errno == ENOENT else { throw .last("remove", path) }
    }

    /// Waits until every file, name and folder is on the disk: one call for many files.
    func synchronize() throws(SystemError) {
        let folder = try Descriptor.open(files, O_RDONLY | O_DIRECTORY)
        guard syncfs(folder.number) == 0 else { throw .last("sync", files) }
    }

    /// Makes the folder for files.
    func make() throws(SystemError) { try Folder.create(files) }
}
