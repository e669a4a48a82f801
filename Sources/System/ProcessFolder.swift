import CFiles
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

    /// The program that the process runs.
    ///
    /// It is opened, without any right to its content, so that the file and its name are of one program, however often
    /// the process becomes another meanwhile.
    ///
    /// - Throws: `SystemError`: `EACCES` when this process may not know, `ENOENT` when there is none any more.
    borrowing func executable() throws(SystemError) -> Executable {
        let number = retryingOnInterrupt { unsafe openat(folder.number, "exe", Int32(openWithoutContent) | O_CLOEXEC) }
        guard number >= 0 else { throw .last("look at", path + "/exe") }
        let program = Descriptor(owning: number)
        let file = try program.identity(path: path + "/exe")
        let name = try program.name()
        if FileIdentity(path: name) == file { return Executable(file: file, path: name, standing: .named) }
        // A file may have this ending as part of its name; then it is the one found above.
        let mark = Array(" (deleted)".utf8)
        guard name.suffix(mark.count).elementsEqual(mark) else {
            return Executable(file: file, path: name, standing: .elsewhere)
        }
        return Executable(file: file, path: name.dropLast(mark.count), standing: .deleted)
    }
}

extension Descriptor {
    /// What the open file is called now, as the kernel says it.
    ///
    /// - Throws: `SystemError`: `ENAMETOOLONG` for a name of `PATH_MAX` bytes and more.
    fileprivate borrowing func name() throws(SystemError) -> [UInt8] {
        let link = "/proc/self/fd/\(number)"
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let length = unsafe readlink(link, &buffer, buffer.count)
        guard length >= 0 else { throw .last("read", link) }
        // A path that fills the buffer may be a longer one, cut.
        guard length < buffer.count else { throw SystemError("read", link, code: ENAMETOOLONG) }
        return buffer.prefix(length).map { UInt8(bitPattern: $0) }
    }
}
