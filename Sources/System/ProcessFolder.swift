import Glibc

/// What the kernel tells of a process in /proc (proc(5)).
///
/// The folder is opened once. When the process has ended, what is read through it fails with `ESRCH`, also when another
/// process has got the number.
struct ProcessFolder: ~Copyable {
    private let folder: Descriptor
    private let path: String

    init(_ pid: pid_t) throws(SystemError) {
        path = "/proc/\(pid)"
        folder = try Descriptor.open(path, O_RDONLY | O_DIRECTORY)
    }

    /// The program that the process runs; `nil` when it became another while it was looked at.
    ///
    /// - Throws: `SystemError`: `EACCES` when this process may not know, `ENOENT` when there is none any more.
    borrowing func executable() throws(SystemError) -> Executable? {
        let file = try executableFile()
        let path = try executablePath()
        if FileIdentity(path: path) == file { return Executable(file: file, path: path, standing: .named) }
        // It may have become another program between one look and the next.
        guard try executablePath() == path, try executableFile() == file else { return nil }
        // A file may have this ending as part of its name; then it is the one found above.
        let mark = Array(" (deleted)".utf8)
        guard path.suffix(mark.count).elementsEqual(mark) else {
            return Executable(file: file, path: path, standing: .elsewhere)
        }
        return Executable(file: file, path: path.dropLast(mark.count), standing: .deleted)
    }

    private borrowing func executableFile() throws(SystemError) -> FileIdentity {
        var status = stat()
        guard unsafe fstatat(folder.number, "exe", &status, 0) == 0 else { throw .last("look at", path + "/exe") }
        return FileIdentity(status)
    }

    private borrowing func executablePath() throws(SystemError) -> [UInt8] {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let length = unsafe readlinkat(folder.number, "exe", &buffer, buffer.count)
        guard length >= 0 else { throw .last("read", path + "/exe") }
        // A path that fills the buffer may be a longer one, cut.
        guard length < buffer.count else { throw SystemError("read", path + "/exe", code: ENAMETOOLONG) }
        return buffer.prefix(length).map { UInt8(bitPattern: $0) }
    }
}
