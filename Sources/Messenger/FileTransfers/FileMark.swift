import Glibc

/// Which file it was, and how it stood when it was named: another one at its path, or a changed one, is told by it.
struct FileMark: Codable, Equatable, Sendable {
    /// Its size in bytes.
    let size: Int
    private let number: UInt64
    /// When its content was changed, in seconds since 1970, and what is left over of that moment.
    private let modified: Int64
    private let nanoseconds: Int

    /// What the system says of a file; `nil` for what is no regular file.
    init?(_ status: stat) {
        guard status.st_mode & S_IFMT == S_IFREG else { return nil }
        size = Int(status.st_size)
        number = UInt64(status.st_ino)
        modified = Int64(status.st_mtim.tv_sec)
        nanoseconds = status.st_mtim.tv_nsec
    }
}
