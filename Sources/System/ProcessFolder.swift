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

    /// When the process started, in clock ticks (of 10 ms) since the machine did. Another program that it runs does not
    /// change it.
    borrowing func startTime() throws(SystemError) -> UInt64 {
        let name = path + "/stat"
        let number = retryingOnInterrupt { unsafe openat(folder.number, "stat", O_RDONLY | O_CLOEXEC) }
        guard number >= 0 else { throw .last("open", name) }
        let file = Descriptor(owning: number)
        guard let time = Self.startTime(in: try file.read(upTo: 4096, at: 0, path: name)) else {
            throw SystemError("read", name, code: EBADMSG)
        }
        return time
    }

    /// Finds the 22nd field of /proc/PID/stat.
    ///
    /// The second is the program's name in brackets, and may hold brackets and spaces of its own; behind the last bracket
    /// there are only numbers, and one letter.
    static func startTime(in stat: [UInt8]) -> UInt64? {
        guard let end = stat.lastIndex(of: UInt8(ascii: ")")) else { return nil }
        let fields = stat[(end + 1)...].split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\n") }
        // The first of these is the third.
        guard fields.count > 22 - 3 else { return nil }
        return UInt64(String(decoding: fields[22 - 3], as: UTF8.self))
    }

    /// The program that the process runs.
    ///
    /// - Throws: `SystemError`: `EACCES` when this process may not know, `ENOENT` when there is none any more.
    borrowing func executable() throws(SystemError) -> Executable {
        let name = path + "/exe"
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let length = unsafe readlinkat(folder.number, "exe", &buffer, buffer.count)
        guard length >= 0 else { throw .last("read", name) }
        let target = buffer.prefix(length).map { UInt8(bitPattern: $0) }
        // A path that fills the buffer may be a longer one, cut.
        guard target.count < PATH_MAX else { throw SystemError("read", name, code: ENAMETOOLONG) }
        var status = stat()
        guard unsafe fstatat(folder.number, "exe", &status, 0) == 0 else { throw .last("look at", name) }
        let file = FileIdentity(status)
        if FileIdentity(path: target) == file { return Executable(file: file, path: target, standing: .named) }
        // A file may have this ending as part of its name; then it is the one found above.
        let mark = Array(" (deleted)".utf8)
        guard target.suffix(mark.count).elementsEqual(mark) else {
            return Executable(file: file, path: target, standing: .elsewhere)
        }
        return Executable(file: file, path: target.dropLast(mark.count), standing: .deleted)
    }
}
