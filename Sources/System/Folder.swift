import CFiles
import Glibc

/// Folders of ours: private to their owner, and synced when what they list has changed.
public enum Folder {
    /// Makes a folder with permissions 0700, unless others are named, and every missing one above it; one that exists is
    /// left as it is.
    ///
    /// The entry of each is synced in its parent: of one that exists once, for whoever made it may not have come to it.
    public static func create(_ path: String, mode: mode_t = 0o700) throws(SystemError) {
        guard !path.isEmpty else { throw SystemError("create the folder", path, code: ENOENT) }
        if unsafe mkdir(path, mode) == 0 {
            return try synchronize(parent(of: path))
        }
        var failure = errno
        if failure == ENOENT, parent(of: path) != path {
            try create(parent(of: path), mode: mode)
            // Once: there are folders, such as one that was deleted, in which nothing can be made.
            if unsafe mkdir(path, mode) == 0 { return try synchronize(parent(of: path)) }
            failure = errno
        }
        guard failure == EEXIST else { throw SystemError("create the folder", path, code: failure) }
        guard isFolder(path) else { throw SystemError("create the folder", path, code: ENOTDIR) }
        try synchronizeEntry(of: path)
    }

    /// What `synchronizeEntry` has seen to.
    private static let known = Lock<Set<String>>([])

    /// Syncs the folder that lists `path`, the first time that this process asks: what exists need not be on the disk,
    /// when whoever made it was stopped before the sync.
    public static func synchronizeEntry(of path: String) throws(SystemError) {
        guard !known.withLock({ $0.contains(path) }) else { return }
        do throws(SystemError) {
            try synchronize(parent(of: path))
        } catch {
            // A folder that may be passed through and not read belongs to somebody else, who made the entry.
            guard error.code == EACCES else { throw error }
        }
        known.withLock { _ = $0.insert(path) }
    }

    /// Waits until the folder's entries are on the disk.
    public static func synchronize(_ path: String) throws(SystemError) {
        let folder = try Descriptor.open(path, O_RDONLY | O_DIRECTORY)
        guard retryingOnInterrupt({ fsync(folder.number) }) == 0 else { throw .last("sync the folder", path) }
    }

    /// Whether `path` is a folder (or a link to one).
    public static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// Checks that `path` is a folder itself: behind a link to one, what is written or removed would be somebody's.
    ///
    /// - Throws: `SystemError`: it distrusts a link (`folderLink`), and has `ENOTDIR` for anything else that is no folder.
    package static func checkIsNoLink(_ path: String) throws(SystemError) {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { throw .last("look at", path) }
        let kind = status.st_mode & S_IFMT
        guard kind != S_IFLNK else { throw SystemError(UntrustedPlace(path, .folderLink)) }
        guard kind == S_IFDIR else { throw SystemError("write to", path, code: ENOTDIR) }
    }

    /// Whether what lies in a folder is in memory, and gone when the machine ends (tmpfs).
    public static func isInMemory(_ path: String) -> Bool {
        var system = statfs()
        // TMPFS_MAGIC (linux/magic.h)
        return unsafe statfs(path, &system) == 0 && system.f_type == 0x0102_1994
    }

    /// The names in a folder, in no order; none if it cannot be read. For folders of ours: another's may hold names that
    /// are no text.
    public static func names(in path: String) -> [String] {
        ((try? entries(of: path)) ?? []).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The names in a folder, in no order, each as the bytes that the system has.
    public static func entries(of path: String) throws(SystemError) -> [[UInt8]] {
        guard let list = unsafe opendir(path) else { throw .last("read the folder", path) }
        return try unsafe read(list, of: path)
    }

    /// The same of a folder that is open, whatever lies at its path by now.
    package static func entries(of folder: borrowing Descriptor, path: String) throws(SystemError) -> [[UInt8]] {
        // The list takes a descriptor of its own, and begins at the start.
        let number = unsafe openat(folder.number, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard number >= 0 else { throw .last("read the folder", path) }
        guard let list = unsafe fdopendir(number) else {
            let code = errno
            close(number)
            throw SystemError("read the folder", path, code: code)
        }
        return try unsafe read(list, of: path)
    }

    /// Reads a list of names to its end, and closes it.
    private static func read(_ list: OpaquePointer, of path: String) throws(SystemError) -> [[UInt8]] {
        defer { unsafe closedir(list) }
        var names: [[UInt8]] = []
        while true {
            errno = 0
            guard let entry = unsafe readdir(list) else {
                guard errno == 0 else { throw .last("read the folder", path) }
                return names
            }
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { unsafe Array($0.prefix { $0 != 0 }) }
            if name != Array(".".utf8), name != Array("..".utf8) { names.append(name) }
        }
    }

    /// The one path of a folder, however it is reached: absolute, and without links. What is not there yet keeps its name.
    public static func canonical(_ path: String) -> String {
        var existing = path
        var missing: [String] = []
        while true {
            if let real = unsafe realpath(existing, nil) {
                defer { unsafe free(real) }
                let start = unsafe String(cString: real)
                return missing.reversed().reduce(start) { $0 == "/" ? "/" + $1 : $0 + "/" + $1 }
            }
            let above = parent(of: existing)
            guard above != existing else { return path }
            if let name = existing.split(separator: "/").last { missing.append(String(name)) }
            existing = above
        }
    }

    /// The folder that holds `path`: "." for a bare name.
    public static func parent(of path: String) -> String {
        var trimmed = path[...]
        while trimmed.count > 1, trimmed.last == "/" { trimmed.removeLast() }
        // By bytes: a mark that combines with the slash makes another character of it.
        guard let slash = trimmed.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == trimmed.startIndex ? "/" : String(trimmed[..<slash])
    }
}
