import Glibc

/// How a file stands, so that a change while it is read is noticed.
package struct FileStamp: Equatable {
    /// Its size in bytes.
    package let size: Int
    /// When its content was changed, in seconds since 1970.
    package let modified: Int64
    /// What is left over of that moment, below a second.
    package let nanoseconds: Int
    private let changed: Int64
    private let changedNanoseconds: Int
    private let file: UInt64

    /// What the system says of a file.
    package init(_ status: stat) {
        size = Int(status.st_size)
        modified = Int64(status.st_mtim.tv_sec)
        nanoseconds = status.st_mtim.tv_nsec
        changed = Int64(status.st_ctim.tv_sec)
        changedNanoseconds = status.st_ctim.tv_nsec
        file = UInt64(status.st_ino)
    }
}
