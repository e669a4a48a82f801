import CFiles
import Glibc

/// A file that gets its name when it is whole and synced; until then it has none, and ends with its owner.
///
/// Where the file system knows no files without a name, it has a temporary one beside its own; only a program that is
/// killed leaves it behind.
public struct NewFile: ~Copyable {
    /// What to write to. Made with permissions 0600.
    public let descriptor: Descriptor
    private let path: String
    private let chosen: String?
    private var temporary: String?

    /// Begins a file in the folder of `path`.
    public init(for path: String) throws(SystemError) {
        try self.init(for: path, unnamed: true)
    }

    /// Begins a file; `unnamed: false` as where the file system knows no files without a name.
    ///
    /// - Parameter chosen: what it is called until it has its name, where it has to be called something; `nil` for a name
    ///   that no other writer uses.
    package init(for path: String, unnamed: Bool, until chosen: String? = nil) throws(SystemError) {
        self.path = path
        self.chosen = chosen
        if unnamed, let file = NewFile.unnamed(in: Folder.parent(of: path)) {
            descriptor = file
            temporary = nil
        } else {
            let name = chosen ?? WholeFile.temporaryName(for: path)
            do throws(SystemError) {
                descriptor = try Descriptor.open(name, O_WRONLY | O_CREAT | O_EXCL)
            } catch {
                throw SystemError("create", path, code: error.code)
            }
            temporary = name
        }
    }

    deinit {
        if let temporary { unsafe unlink(temporary) }
    }

    /// Says when the content was last changed, in seconds since 1970; to be called when all of it is written.
    public borrowing func setModified(_ seconds: Int64) throws(SystemError) {
        var times = [timespec(tv_sec: 0, tv_nsec: Int(keptTime)), timespec(tv_sec: time_t(seconds), tv_nsec: 0)]
        guard unsafe futimens(descriptor.number, &times) == 0 else { throw .last("set the time of", path) }
    }

    /// Gives the file the permissions of the one whose place it takes: what its owner, its group and others may, and never
    /// set-user-ID and its like. A file system that keeps none leaves them as they are.
    ///
    /// What the group may is left out where the file cannot be of that group, and where a list says who else may do what
    /// (acl(5)): what stands for the group is the bound of that list then.
    ///
    /// - Parameter old: how the other file stands.
    package borrowing func takePermissions(of old: stat) {
        var mode = old.st_mode & 0o777
        var own = stat()
        guard unsafe fstat(descriptor.number, &own) == 0 else { return }
        // The owner stays.
        let isOfGroup = own.st_gid == old.st_gid || fchown(descriptor.number, uid_t.max, old.st_gid) == 0
        let hasList = PrivateGroup.hasAccessList(path) || PrivateGroup.hasAccessList(NewFile.place(of: descriptor))
        if !isOfGroup || hasList { mode &= ~0o070 }
        fchmod(descriptor.number, mode)
    }

    /// Syncs the file, gives it its name, and syncs the folder.
    ///
    /// - Parameter replacing: whether to take the place of what has the name already.
    /// - Throws: `SystemError`, with `EEXIST` when something has the name and is not to be replaced, be it a link that
    ///   leads nowhere. What had the name before still has it then.
    public mutating func publish(replacing: Bool) throws(SystemError) {
        try descriptor.synchronize(path: path)
        if replacing {
            let name = temporary ?? chosen ?? WholeFile.temporaryName(for: path)
            if temporary == nil { try link(as: name) }
            temporary = name
            guard unsafe Glibc.rename(name, path) == 0 else { throw .last("rename to", path) }
            temporary = nil
        } else if let name = temporary {
            try NewFile.rename(name, withoutReplacing: path)
            temporary = nil
        } else {
            try link(as: path)
        }
        try Folder.synchronize(Folder.parent(of: path))
    }

    private static func unnamed(in folder: String) -> Descriptor? {
        guard let file = try? Descriptor.open(folder, O_WRONLY | Int32(openWithoutName)),
            // By this path it gets its name.
            unsafe access(NewFile.place(of: file), F_OK) == 0
        else { return nil }
        return file
    }

    private static func place(of file: borrowing Descriptor) -> String { "/proc/self/fd/\(file.number)" }

    private borrowing func link(as name: String) throws(SystemError) {
        guard unsafe linkat(AT_FDCWD, NewFile.place(of: descriptor), AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0 else {
            throw .last("create", name)
        }
    }

    private static func rename(_ name: String, withoutReplacing path: String) throws(SystemError) {
        if unsafe renameat2(AT_FDCWD, name, AT_FDCWD, path, UInt32(renameWithoutReplacing)) == 0 { return }
        // NFS and its like refuse the flag; a link replaces nothing, either.
        guard errno == EINVAL || errno == ENOSYS else { throw .last("create", path) }
        guard unsafe Glibc.link(name, path) == 0 else { throw .last("create", path) }
        unsafe unlink(name)
    }
}
