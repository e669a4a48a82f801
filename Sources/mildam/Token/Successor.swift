import Glibc
import MildamCrypto
import MildamKeychain
import MildamSystem

/// A command that this process becomes (execve(2)): nothing of this program stays in memory, signals reach the command, and
/// whoever waits for this process hears how the command ended.
struct Successor {
    private let words: [String]

    /// A command: a program, which is looked for in PATH unless it has a slash, and its arguments.
    init(_ words: [String]) { self.words = words }

    /// Becomes the command, with a secret in one variable of its environment.
    ///
    /// - Throws: `SystemError` when there is no such command, or it cannot be run; the secret's copy is wiped then.
    func take(over variable: String, _ secret: SecretValue) throws(SystemError) -> Never {
        let entry = unsafe Self.entry(variable, secret)
        unsafe putenv(entry)
        Self.restoreSignals()
        var list = unsafe words.map { unsafe strdup($0) } + [nil]
        unsafe execvp(words[0], &list)
        let code = errno
        unsafe unsetenv(variable)
        unsafe explicit_bzero(entry, strlen(entry))
        throw SystemError("run", words[0], code: code)
    }

    /// "NAME=SECRET", in memory that the environment may point to.
    private static func entry(_ variable: String, _ secret: SecretValue) -> UnsafeMutablePointer<CChar> {
        let name = Array((variable + "=").utf8)
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: name.count + secret.count + 1, alignment: 1)
        unsafe memory.initializeMemory(as: UInt8.self, repeating: 0)
        unsafe memory.copyBytes(from: name)
        unsafe secret.withUnsafeBytes { secret in
            unsafe UnsafeMutableRawBufferPointer(rebasing: memory[name.count...]).copyBytes(from: secret)
        }
        return unsafe memory.bindMemory(to: CChar.self).baseAddress.unsafelyUnwrapped
    }

    /// What this program ignores, and what its threads have blocked, the command must hear.
    private static func restoreSignals() {
        _ = signal(SIGPIPE, SIG_DFL)
        var none = sigset_t()
        unsafe sigemptyset(&none)
        unsafe pthread_sigmask(SIG_SETMASK, &none, nil)
    }
}
