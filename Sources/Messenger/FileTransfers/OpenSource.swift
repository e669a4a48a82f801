import Glibc
import MildamFiles
import MildamSystem

/// A file that is about to be sent, open: whatever gets its name meanwhile is not sent in its place.
final class OpenSource: Sendable {
    /// Where it lies.
    let path: String
    /// How it stands; `nil` for a pipe.
    let mark: FileMark?
    private let descriptor: Descriptor

    /// Opens a file. A pipe to which nobody writes any more is opened, too.
    ///
    /// - Throws: `SystemError`, with `EISDIR` for a folder.
    init(_ path: String) throws(SystemError) {
        let descriptor = try Descriptor.open(path, O_RDONLY | O_NONBLOCK)
        let status = try descriptor.status(path: path)
        guard status.st_mode & S_IFMT != S_IFDIR else { throw SystemError("read", path, code: EISDIR) }
        self.path = path
        mark = FileMark(status)
        self.descriptor = descriptor
    }

    /// Its content from the start. To be taken once: of a pipe there is no second time.
    func content() throws(SystemError) -> FileSource { try FileSource(descriptor, path: path) }
}
