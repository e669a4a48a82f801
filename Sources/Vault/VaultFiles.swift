import Glibc
import MildamFiles
import MildamSystem

/// The files of a vault, by their opaque names: `files/ab/abcdefghijklmnopqrstuvwxyz.age`.
///
/// A file that is added is called `….age.new` until its entry is there, so that nothing that is called `….age` is ever
/// deleted but by who removes it.
struct VaultFiles {
    /// What every file's name ends with.
    static let suffix = ".age"
    /// What stands behind the name of a file whose entry is not written yet.
    static let newSuffix = ".new"
    /// What stands behind the name of a file that is to take another's place.
    static let partSuffix = ".part"

    /// The vault's folder.
    let folder: String

    /// The folder for files.
    var root: String { folder + "/files" }

    /// Where a file is.
    func path(of id: VaultEntryID) -> String {
        let name = id.description
        return "\(root)/\(name.prefix(2))/\(name)\(Self.suffix)"
    }

    /// Where a file is at this moment: whoever added it may have been stopped before it got its name.
    func currentPath(of id: VaultEntryID) -> String {
        let path = path(of: id)
        return !WholeFile.isTaken(path) && WholeFile.isTaken(path + Self.newSuffix) ? path + Self.newSuffix : path
    }

    /// Makes a file that is not there yet, permissions 0600. Neither it nor its folder is synced.
    func create(_ id: VaultEntryID) throws(SystemError) -> Descriptor {
        let path = path(of: id) + Self.newSuffix
        do throws(SystemError) {
            return try Descriptor.open(path, O_WRONLY | O_CREAT | O_EXCL)
        } catch  where error.code == ENOENT {
            let folder = Folder.parent(of: path)
            guard unsafe mkdir(folder, 0o700) == 0 || errno == EEXIST else { throw .last("create the folder", folder) }
            return try Descriptor.open(path, O_WRONLY | O_CREAT | O_EXCL)
        }
    }

    /// Gives a new file its name, if it has not got it.
    func name(_ id: VaultEntryID) throws(SystemError) {
        let path = path(of: id)
        guard unsafe rename(path + Self.newSuffix, path) == 0 || errno == ENOENT else { throw .last("rename to", path) }
    }

    /// Removes a new file, if it is there.
    func discard(_ id: VaultEntryID) throws(SystemError) {
        try remove(path(of: id) + Self.newSuffix)
    }

    /// Removes a file and what was to take its place, if they are there.
    func remove(_ id: VaultEntryID) throws(SystemError) {
        try remove(path(of: id) + Self.partSuffix)
        try remove(path(of: id))
    }

    private func remove(_ path: String) throws(SystemError) {
        guard unsafe unlink(path) == 0 || errno == ENOENT else { throw .last("remove", path) }
    }

    /// Runs `body`, and waits until every file, name and folder that it wrote is on the disk: one call for many files.
    ///
    /// The system says of a write that failed only to descriptors that were open when it did.
    func synchronizing<Result>(_ body: () throws(VaultError) -> Result) throws(VaultError) -> Result {
        let disk: Descriptor
        do throws(SystemError) { disk = try Descriptor.open(root, O_RDONLY | O_DIRECTORY) } catch { throw .io(error) }
        let result = try body()
        do throws(SystemError) { try disk.synchronizeFileSystem(path: root) } catch { throw .io(error) }
        return result
    }

    /// Makes the folder for files.
    func make() throws(SystemError) { try Folder.create(root) }
}
