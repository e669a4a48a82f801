import Glibc
import MildamSystem

/// Something to be added to a vault: a regular file, and what it is to be called.
public struct VaultSource: Sendable {
    /// Where it is.
    public let path: String
    /// What it will be called.
    public let name: VaultName

    /// Names a source.
    public init(path: String, name: VaultName) {
        self.path = path
        self.name = name
    }

    /// What a file is, so that a change while it is read is noticed.
    struct Stamp: Equatable {
        let size: Int
        let modified: Int64
        private let nanoseconds: Int
        private let changed: Int64
        private let changedNanoseconds: Int
        private let file: UInt64

        init(_ status: stat) {
            size = Int(status.st_size)
            modified = Int64(status.st_mtim.tv_sec)
            nanoseconds = status.st_mtim.tv_nsec
            changed = Int64(status.st_ctim.tv_sec)
            changedNanoseconds = status.st_ctim.tv_nsec
            file = UInt64(status.st_ino)
        }
    }

    /// Opens it, if it is a regular file and no link to one.
    ///
    /// - Throws: `notAFile`, `io`.
    func open() throws(VaultError) -> Descriptor {
        do throws(SystemError) {
            // Of a pipe, nobody waits for the other end.
            return try Descriptor.open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
        } catch where error.code == ELOOP {
            throw .notAFile(path, .link)
        } catch {
            throw error.code == ENXIO ? .notAFile(path, .special) : .io(error)
        }
    }

    /// How an open file stands now.
    ///
    /// - Throws: `notAFile`, `io`.
    func stamp(of file: borrowing Descriptor) throws(VaultError) -> Stamp {
        var status = stat()
        guard unsafe fstat(file.number, &status) == 0 else { throw .io(.last("look at", path)) }
        switch status.st_mode & S_IFMT {
        case S_IFREG: return Stamp(status)
        case S_IFDIR: throw .notAFile(path, .folder)
        default: throw .notAFile(path, .special)
        }
    }
}
