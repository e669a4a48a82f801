import FoundationEssentials
import Glibc
import MildamCrypto
import MildamFiles
import MildamKeychain
import MildamSystem
import MildamTerminal

/// The editor of whoever sits at the terminal, on a secret: in a file of a folder in memory, which nobody else may enter and
/// which is overwritten and removed when the editor ends, or a signal ends this program.
struct SecretEditor: ~Copyable {
    /// Holds signals back until all is erased: it goes when `deinit` is through.
    private let wait: InterruptibleWait
    private let folder: String
    private var path: String { folder + "/secret" }

    /// - Throws: `NoPlace` where no file system in memory is there to write to; `SystemError`.
    init() throws {
        let places = [Console.variable("XDG_RUNTIME_DIR"), "/dev/shm"].compactMap(\.self)
        guard let place = places.first(where: { $0.hasPrefix("/") && Folder.isInMemory($0) }) else { throw NoPlace() }
        let wait = try InterruptibleWait()
        var template = Array("\(place)/mildam-XXXXXX".utf8CString)
        guard unsafe mkdtemp(&template) != nil else { throw SystemError.last("make a folder in", place) }
        self.wait = wait
        folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        // An editor leaves copies of its own beside the file.
        for name in Folder.names(in: folder) { Self.erase(folder + "/" + name) }
        unsafe rmdir(folder)
    }

    /// What somebody makes of a secret; the line break that an editor puts behind a last line is left out.
    ///
    /// - Parameter editor: a shell's words, as `EDITOR` holds them.
    /// - Returns: `nil` where it stayed as it was.
    /// - Throws: `EditorFailed`, `SystemError`.
    func edited(_ secret: SecretValue, with editor: String) throws -> SecretValue? {
        try secret.withSpan { (text) throws(SystemError) in try WholeFile.write(text, to: path) }
        let status = try run(editor)
        guard status == 0 else { throw EditorFailed(status: status) }
        let file = try Descriptor.open(path, O_RDONLY | O_NOFOLLOW)
        guard let read = try SecretBytes.reading(file, limit: SecretValue.maximumSize + 1, path: path) else {
            throw KeychainError.invalidRequest(reason: "a secret of more than 4 MiB")
        }
        let text = read.span
        let isLineAdded = text.endsLine && !secret.withSpan { $0.endsLine }
        let edited = SecretValue(copying: text.extracting(..<(text.count - (isLineAdded ? 1 : 0))))
        return edited.constantTimeEquals(secret) ? nil : edited
    }

    private func run(_ editor: String) throws(SystemError) -> Int32 {
        let variables = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("MILDAM_") }
        let process = try Launch(
            path: "/bin/sh",
            arguments: ["-c", "\(editor) \"$1\"", "sh", path],
            environment: variables.map { "\($0)=\($1)" },
            streams: [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO]
        ).start()
        while true {
            var status: Int32 = 0
            let ended = unsafe waitpid(process, &status, WNOHANG)
            if ended > 0 { return status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F }
            guard ended == 0 || errno == EINTR else { throw .last("wait for", editor) }
            if let signal = wait.wait(for: .milliseconds(50)) { Self.pass(signal, to: process) }
        }
    }

    /// What the terminal sends reaches the editor by itself; what somebody sends to this program goes on to it.
    private static func pass(_ signal: Int32, to editor: pid_t) {
        switch signal {
        case SIGINT: break
        // The editor has stopped: the shell takes the terminal back once this program has, too.
        case SIGTSTP: kill(getpid(), SIGSTOP)
        default: kill(editor, signal)
        }
    }

    private static func erase(_ path: String) {
        defer { unsafe unlink(path) }
        guard let file = try? Descriptor.open(path, O_WRONLY | O_NOFOLLOW), let size = try? file.size(path: path) else {
            return
        }
        let zeros = [UInt8](repeating: 0, count: min(max(size, 0), SecretValue.maximumSize))
        try? file.write(zeros.span, path: path)
    }
}

/// There is nowhere to lay a secret for an editor.
struct NoPlace: EndsWithStatus, CustomStringConvertible {
    let exitStatus = ExitStatus.refused
    var description: String {
        "a secret is laid for an editor only where files are in memory, and neither XDG_RUNTIME_DIR nor /dev/shm is such a "
            + "folder; `mildam keychain set` takes the new secret in another way"
    }
}

/// The editor did not end well.
struct EditorFailed: EndsWithStatus, CustomStringConvertible {
    let exitStatus = ExitStatus.failed
    let status: Int32

    var description: String { "the editor ended with status \(status); nothing was changed" }
}
