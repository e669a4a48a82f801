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
