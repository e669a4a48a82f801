import CFiles
import Glibc

extension Descriptor {
    /// Copies a range of a file behind what another has, inside the kernel where that is possible.
    ///
    /// - Throws: `SystemError`; `EIO` when the file is shorter.
    public borrowing func copy(
        _ range: Range<Int>,
        to target: borrowing Descriptor,
        path: String
    ) throws(SystemError) {
        var position = off_t(range.lowerBound)
        while position < range.upperBound {
            let count = unsafe copy_file_range(
                number,
                &position,
                target.number,
                nil,
                range.upperBound - Int(position),
                0
            )
            if count > 0 || (count < 0 && errno == EINTR) { continue }
            guard count < 0, [EXDEV, EINVAL, ENOSYS, EOPNOTSUPP].contains(errno) else {
                throw SystemError("copy", path, code: count == 0 ? EIO : errno)
            }
            // Between file systems, or where the kernel cannot.
            let bytes = try read(upTo: min(1 << 20, range.upperBound - Int(position)), at: Int(position), path: path)
            guard !bytes.isEmpty else { throw SystemError("copy", path, code: EIO) }
            try target.write(bytes.span)
            position += off_t(bytes.count)
        }
    }

    /// Waits until everything that was written to the file system of this file is on the disk (`syncfs(2)`).
    public borrowing func synchronizeFileSystem(path: String? = nil) throws(SystemError) {
        guard retryingOnInterrupt({ syncfs(number) }) == 0 else { throw .last("sync", path) }
    }
}
