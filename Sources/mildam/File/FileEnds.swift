import Glibc
import MildamFiles
import MildamSystem
import MildamTerminal

let inputOperand = Operand(
    "INPUT",
    help: "The file; standard input where it is missing.",
    arity: .optional,
    completion: .file
)

let outputOption = OptionSpec(
    "output",
    short: "o",
    value: .init("FILE", completion: .file),
    help: "Where to write; standard output without it. Nothing is replaced without --force. With --json it is needed."
)

let forceOption = OptionSpec("force", help: "Take the place of what is there.")

/// Where a file command reads from: a file, or standard input.
struct FileInput {
    let source: FileSource
    /// What to call it.
    let label: String
    /// The file's name; of standard input nobody knows one.
    let name: String?

    var isStandardInput: Bool { name == nil }

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

extension Action {
    /// What the command is to read.
    ///
    /// - Throws: `UsageError` where a secret was to come from the same standard input; `SystemError`.
    func input() throws -> FileInput {
        let input = try FileInput(invocation.optionalOperand("INPUT"))
        if input.isStandardInput { try claimStandardInput() }
        return input
    }
}

extension FileTarget {
    /// What `--output` and `--force` say; standard output without them. What is no file, such as `/dev/null` or a pipe, is
    /// written to and never replaced.
    ///
    /// - Parameter modified: when a file's content was last changed, in seconds since 1970; `nil` for now.
    /// - Throws: `TargetTaken`, `SystemError`, `UsageError`.
    convenience init(_ invocation: Invocation, modified: Int64? = nil) throws {
        guard let path = invocation.value("output"), path != "-" else {
            guard !invocation.flag("json"), !invocation.flag("force") else {
                throw UsageError(
                    .invalidValue(name: "--output", expected: "a file: standard output is for the content alone"),
                    command: invocation.fullName
                )
            }
            try self.init(Descriptor.copy(of: STDOUT_FILENO))
            return
        }
        var status = stat()
        if unsafe stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
            if status.st_mode & S_IFMT == S_IFDIR { throw SystemError("write", path, code: EISDIR) }
            try self.init(Descriptor.open(path, O_WRONLY))
            return
        }
        let replacing = invocation.flag("force")
        guard replacing || !WholeFile.isTaken(path) else { throw TargetTaken(path: path) }
        self.init(path, replacing: replacing, modified: modified)
    }
}

extension Action {
    /// The path that `--output` names; `nil` for standard output, also where it is called by a name such as `/dev/stdout`.
    var outputPath: String? {
        guard let path = invocation.value("output"), path != "-" else { return nil }
        var (named, own) = (stat(), stat())
        let isOwn =
            unsafe stat(path, &named) == 0 && fstat(STDOUT_FILENO, &own) == 0 && named.st_dev == own.st_dev
            && named.st_ino == own.st_ino
        return isOwn ? nil : path
    }
}

/// Something is where a file was to be.
struct TargetTaken: EndsWithStatus, CustomStringConvertible {
    let exitStatus = ExitStatus.refused
    let path: String

    var description: String { "\(path) exists: choose another name, or --force to replace it" }
}

extension Descriptor {
    /// Another descriptor of one of the process's own streams, which stays open.
    static func copy(of number: Int32) throws(SystemError) -> Descriptor {
        let other = fcntl(number, F_DUPFD_CLOEXEC, 3)
        guard other >= 0 else { throw .last("use a standard stream") }
        return Descriptor(owning: other)
    }
}
