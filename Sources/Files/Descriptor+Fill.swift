import Glibc
import MildamSystem

extension Descriptor {
    /// Reads on at the current position, until the buffer is full or the file ends.
    ///
    /// - Parameter start: where in the buffer to begin; what stands before it is kept.
    /// - Returns: where in the buffer the reading ended.
    borrowing func fill(_ buffer: inout [UInt8], from start: Int = 0, path: String? = nil) throws(SystemError) -> Int {
        var end = start
        while end < buffer.count {
            let got = unsafe buffer.withUnsafeMutableBytes { memory in
                let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: memory[end...])
                return unsafe Glibc.read(number, rest.baseAddress, rest.count)
            }
            if got < 0 {
                if errno == EINTR { continue }
                if errno == EAGAIN, waitUntilReady(POLLIN) { continue }
                throw .last("read", path)
            }
            if got == 0 { break }
            end += got
        }
        return end
    }

    /// The size of a regular file in bytes; of a pipe nobody knows it.
    borrowing func regularSize(path: String? = nil) throws(SystemError) -> Int? {
        let status = try status(path: path)
        return status.st_mode & S_IFMT == S_IFREG ? Int(status.st_size) : nil
    }

    /// What the system says of the file.
    package borrowing func status(path: String? = nil) throws(SystemError) -> stat {
        var status = stat()
        guard unsafe fstat(number, &status) == 0 else { throw .last("look at", path) }
        return status
    }
}
