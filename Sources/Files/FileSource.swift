import Glibc
import MildamSystem

/// What is read from its start to its end: a file, or whatever a descriptor gives. Used by one thread at a time.
///
/// Its first bytes can be looked at before they are read, those of a pipe too.
public final class FileSource {
    /// Where it is, for errors; `nil` where nobody knows.
    public let path: String?
    /// The size in bytes of a regular file, as it was at the beginning; of a pipe nobody knows it.
    public var size: Int? { stamp?.size }
    /// How a regular file stood at the beginning.
    package let stamp: FileStamp?

    private let descriptor: Descriptor
    /// What was looked at, and not read yet.
    private var ahead: [UInt8] = []
    /// Whether it has ended: a terminal or a FIFO that is read again may begin anew.
    private var isEnded = false

    /// Opens a file.
    ///
    /// - Throws: `SystemError`, with `EISDIR` for a folder.
    public convenience init(_ path: String) throws(SystemError) {
        try self.init(owning: try Descriptor.open(path, O_RDONLY), path: path)
    }

    /// Reads on where a descriptor stands; it stays the caller's.
    public convenience init(_ descriptor: borrowing Descriptor, path: String? = nil) throws(SystemError) {
        try self.init(owning: try descriptor.duplicate(), path: path)
    }

    /// Reads on where a descriptor stands.
    ///
    /// - Throws: `SystemError`, with `EISDIR` for a folder.
    public init(owning descriptor: consuming Descriptor, path: String? = nil) throws(SystemError) {
        let status = try descriptor.status(path: path)
        if status.st_mode & S_IFMT == S_IFDIR { throw SystemError("read", path, code: EISDIR) }
        stamp = status.st_mode & S_IFMT == S_IFREG ? FileStamp(status) : nil
        self.path = path
        self.descriptor = descriptor
    }

    /// The first bytes, which are still to be read.
    ///
    /// - Returns: `count` bytes; fewer only where there are no more.
    public func beginning(_ count: Int) throws(SystemError) -> [UInt8] {
        if ahead.count < count {
            var bytes = ahead + [UInt8](repeating: 0, count: count - ahead.count)
            let end = try readOn(&bytes, from: ahead.count)
            ahead = Array(bytes[..<end])
        }
        return Array(ahead.prefix(count))
    }

    /// Reads on, until the buffer is full or the file ends.
    ///
    /// - Parameter start: where in the buffer to begin; what stands before it is kept.
    /// - Returns: where in the buffer the reading ended.
    func fill(_ buffer: inout [UInt8], from start: Int = 0) throws(SystemError) -> Int {
        let count = min(ahead.count, buffer.count - start)
        if count > 0 {
            buffer.replaceSubrange(start..<start + count, with: ahead[..<count])
            ahead.removeFirst(count)
        }
        return try readOn(&buffer, from: start + count)
    }

    private func readOn(_ buffer: inout [UInt8], from start: Int) throws(SystemError) -> Int {
        guard !isEnded else { return start }
        let end = try descriptor.fill(&buffer, from: start, path: path)
        isEnded = end < buffer.count
        return end
    }

    /// Whether the file is still as it was when it was opened. Of a pipe nobody can tell.
    func isUnchanged() throws(SystemError) -> Bool {
        guard let stamp else { return true }
        return try stamp == FileStamp(descriptor.status(path: path))
    }
}
