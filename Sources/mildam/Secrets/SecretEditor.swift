import FoundationEssentials
import Glibc
import MildamCrypto
import MildamFiles
import MildamKeychain
import MildamSystem
import MildamTerminal

/// The editor of whoever sits at the terminal, on a secret: in a file of a folder in memory, which nobody else may enter and
/// which is overwritten and removed when this goes, or a signal ends this program; unless what was written is left there.
struct SecretEditor: ~Copyable {
    /// Signals are held back until all is erased: this goes when `deinit` is through.
    private var signals: HeldSignals?
    private let folder: String
    private var isLeft = false
    private var path: String { folder + "/secret" }

    /// - Throws: `NoPlace` where no file system in memory is there to write to; `SystemError`.
    init() throws {
        let places = [Console.variable("XDG_RUNTIME_DIR"), "/dev/shm"].compactMap(\.self)
        guard let place = places.first(where: { $0.hasPrefix("/") && Folder.isInMemory($0) }) else { throw NoPlace() }
        let signals = try HeldSignals()
        var template = Array("\(place)/mildam-XXXXXX".utf8CString)
        guard unsafe mkdtemp(&template) != nil else { throw SystemError.last("make a folder in", place) }
        self.signals = signals
        folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        if !isLeft { Self.erase(all: folder) }
    }

    /// Leaves what was written where it is, in a file that nobody else may read. Its path is to be told before
    /// ``letSignals()``: nobody would find it otherwise.
    ///
    /// - Returns: the file's path.
    mutating func leave() -> String {
        isLeft = true
        Self.erase(all: folder, but: "secret")
        unsafe chmod(path, 0o600)
        return path
    }

    /// Whether a signal has come that ends this program as soon as it is let.
    var isInterrupted: Bool { signals?.hasCome ?? false }

    /// Lets signals end this program again. One that has come does so now.
    mutating func letSignals() { signals = nil }

    /// Takes back what was left: it is erased as before.
    ///
    /// - Throws: `SystemError`; it stays left then.
    mutating func takeBack() throws(SystemError) {
        signals = try HeldSignals()
        isLeft = false
    }

    /// What somebody makes of a secret; the line break that an editor puts behind a last line is left out.
    ///
    /// - Parameter editor: a shell's words, as `EDITOR` holds them.
    /// - Returns: `nil` where it stayed as it was.
    /// - Throws: `EditorFailed`, `SystemError`; `LeftSecret` where more was written than can be kept.
    mutating func edited(_ secret: SecretValue, with editor: String) throws -> SecretValue? {
        let path = self.path
        try secret.withSpan { (text) throws(SystemError) in try WholeFile.write(text, to: path) }
        let status = try run(editor)
        guard status == 0 else { throw EditorFailed(status: status) }
        let file = try Descriptor.open(path, O_RDONLY | O_NOFOLLOW)
        guard let read = try SecretBytes.reading(file, limit: SecretValue.maximumSize + 1, path: path) else {
            throw LeftSecret(path: leave(), error: KeychainError.invalidRequest(reason: "a secret of more than 4 MiB"))
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
            if let signal = signals?.next(within: .milliseconds(50)) { Self.pass(signal, to: process) }
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

    /// Erases what is in a folder, and the folder once it is empty: an editor leaves copies of its own beside the file.
    private static func erase(all folder: String, but kept: String? = nil) {
        for name in Folder.names(in: folder) where name != kept { erase(folder + "/" + name) }
        unsafe rmdir(folder)
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

/// Signals that are held back until this goes.
private final class HeldSignals {
    private let wait: InterruptibleWait

    init() throws(SystemError) { wait = try InterruptibleWait() }

    /// The next one; `nil` when none comes in time.
    func next(within time: Duration) -> Int32? { wait.wait(for: time) }

    /// Whether there is a next one.
    var hasCome: Bool { wait.hasSignal() }
}

/// What was written in an editor is not kept, and is left where it was written.
struct LeftSecret: EndsWithStatus, CustomStringConvertible {
    let path: String
    /// Why it is not kept.
    let error: any Error

    var exitStatus: ExitStatus { ExitStatus(error) }

    var description: String {
        "\(error); what was written is not lost: it is in \(path), until you log out, the machine starts anew or you "
            + "delete it; `mildam keychain set` takes it from there"
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
