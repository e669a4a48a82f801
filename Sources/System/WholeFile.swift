import Glibc

/// Files that appear whole and synced under their name, or not at all.
public enum WholeFile {
    /// Writes `bytes` to `path`: to a temporary name in the same folder, synced, renamed, and the folder synced.
    ///
    /// What `path` named before stays until the new content is on the disk. The file has permissions 0600.
    public static func write(_ bytes: Span<UInt8>, to path: String) throws(SystemError) {
        let temporary = temporaryName(for: path)
        // Outside what removes the temporary file: if it cannot be made, one of that name is somebody else's.
        let file = try Descriptor.open(temporary, O_WRONLY | O_CREAT | O_EXCL)
        do {
            try file.write(bytes, path: path)
            try file.synchronize(path: path)
        } catch {
            unsafe unlink(temporary)
            throw error
        }
        try rename(temporary, to: path)
    }

    /// Gives a synced temporary file its final name, and syncs the folder.
    ///
    /// On failure the temporary file is removed.
    public static func rename(_ temporary: String, to path: String) throws(SystemError) {
        guard unsafe Glibc.rename(temporary, path) == 0 else {
            let error = SystemError.last("rename to", path)
            unsafe unlink(temporary)
            throw error
        }
        try Folder.synchronize(Folder.parent(of: path))
    }

    /// A name beside `path` that no other writer uses.
    public static func temporaryName(for path: String) -> String {
        "\(path).\(getpid()).\(UInt32.random(in: .min ... .max)).part"
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

    /// Whether anything has this name.
    public static func exists(_ path: String) -> Bool {
        unsafe access(path, F_OK) == 0
    }
}
