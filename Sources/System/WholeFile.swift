import Glibc

/// Files that appear whole and synced under their name, or not at all.
public enum WholeFile {
    /// Writes `bytes` to `path`: to a file that has no name yet, synced, named, and the folder synced.
    ///
    /// What `path` named before stays until the new content is on the disk. The file has permissions 0600.
    public static func write(_ bytes: Span<UInt8>, to path: String) throws(SystemError) {
        var file = try NewFile(for: path)
        try file.descriptor.write(bytes, path: path)
        try file.publish(replacing: true)
    }

    /// The same, where nothing has the name yet.
    ///
    /// - Throws: `SystemError`, with `EEXIST` when something has it, which stays.
    public static func create(_ bytes: Span<UInt8>, at path: String) throws(SystemError) {
        var file = try NewFile(for: path)
        try file.descriptor.write(bytes, path: path)
        try file.publish(replacing: false)
    }

    /// A name beside `path` that no other writer uses, however long the name itself is.
    public static func temporaryName(for path: String) -> String {
        let name = path.utf8.split(separator: UInt8(ascii: "/")).last ?? path.utf8[...]
        // A file system takes 255 bytes; 34 are the most that is added. A character that is cut is left out whole.
        var kept = Substring(name)
        while kept.utf8.count > 220 { kept.removeLast() }
        return "\(Folder.parent(of: path))/\(kept).\(getpid()).\(UInt32.random(in: .min ... .max)).part"
    }

    /// Reads a whole file of at most `limit` bytes.
    ///
    /// - Throws: `SystemError` with `EFBIG` for a longer file, before reading it.
    public static func read(_ path: String, limit: Int) throws(SystemError) -> [UInt8] {
        let file = try Descriptor.open(path, O_RDONLY)
        let size = try file.size(path: path)
        guard size <= limit else { throw SystemError("read", path, code: EFBIG) }
        return try file.read(upTo: size, at: 0, path: path)
    }

    /// Whether anything has this name. A link that leads nowhere counts as nothing.
    ///
    /// - Throws: `SystemError` where that cannot be known: in a folder that may not be entered, or on a disk that fails.
    public static func isThere(_ path: String) throws(SystemError) -> Bool {
        if unsafe access(path, F_OK) == 0 { return true }
        guard errno == ENOENT || errno == ENOTDIR else { throw .last("look at", path) }
        return false
    }

    /// The same, where nothing depends on the answer: what cannot be looked at counts as nothing.
    public static func exists(_ path: String) -> Bool {
        unsafe access(path, F_OK) == 0
    }

    /// The size in bytes of the regular file of this name; `nil` where there is none.
    public static func size(_ path: String) -> Int? {
        var status = stat()
        guard unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return Int(status.st_size)
    }

    /// Whether the name is that of a symbolic link, wherever it leads.
    package static func isLink(_ path: String) -> Bool {
        var status = stat()
        return unsafe lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
    }

    /// Whether the name is taken, be it by a link that leads nowhere.
    public static func isTaken(_ path: String) -> Bool {
        var status = stat()
        return unsafe lstat(path, &status) == 0
    }
}
