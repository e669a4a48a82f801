import Glibc
import MildamFiles
import MildamSystem
import MildamTerminal

/// Where a file command reads from: a file, or standard input.
struct FileInput {
    let source: FileSource
    /// What to call it.
    let label: String
    /// The file's name; of standard input nobody knows one.
    let name: String?

    /// - Parameter operand: `nil` or "-" for standard input.
    init(_ operand: String?) throws(SystemError) {
        if let path = operand, path != "-" {
            source = try FileSource(path)
            label = path
            name = path.split(separator: "/").last.map(String.init)
        } else {
            source = try FileSource(owning: Descriptor.copy(of: STDIN_FILENO), path: "standard input")
            label = "standard input"
            name = nil
        }
    }
}

extension FileTarget {
    /// What `--output` and `--force` say; standard output without them.
    ///
    /// - Throws: `SystemError` with `EEXIST` where something is that is not to be replaced.
    convenience init(_ invocation: Invocation) throws(SystemError) {
        guard let path = invocation.value("output"), path != "-" else {
            try self.init(Descriptor.copy(of: STDOUT_FILENO))
            return
        }
        let replacing = invocation.flag("force")
        guard replacing || !WholeFile.isTaken(path) else {
            throw SystemError("choose another name, or --force, to write", path, code: EEXIST)
        }
        self.init(path, replacing: replacing)
    }
}

extension Descriptor {
    /// Another descriptor of one of the process's own streams, which stays open.
    fileprivate static func copy(of number: Int32) throws(SystemError) -> Descriptor {
        let other = fcntl(number, F_DUPFD_CLOEXEC, 3)
        guard other >= 0 else { throw .last("use a standard stream") }
        return Descriptor(owning: other)
    }
}
