import FoundationEssentials
import Glibc
import MildamSystem

/// Another program, with what it prints on standard output; its standard error goes nowhere.
struct Child {
    let identifier: pid_t
    let output: Int32

    /// Starts a program, looked up on PATH, with these variables in place of ours of the same names.
    init(_ arguments: [String], _ variables: [String: String] = [:]) throws {
        var ends: [Int32] = [0, 0]
        guard unsafe pipe(&ends) == 0 else { throw SystemError.last("make a pipe") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        defer { close(ends[1]) }
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
        unsafe posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
        // A thread of Swift's own may have every signal blocked, and a child inherits that: `openssl speed` then never
        // hears the alarm that ends it.
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        var nothing = sigset_t()
        unsafe sigemptyset(&nothing)
        unsafe posix_spawnattr_setsigmask(&attributes, &nothing)
        unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        var words = unsafe arguments.map { unsafe strdup($0) } + [nil]
        defer { for index in unsafe words.indices { unsafe free(words[index]) } }
        let all = ProcessInfo.processInfo.environment.merging(variables) { _, new in new }
        var environment = unsafe all.map { unsafe strdup("\($0)=\($1)") } + [nil]
        defer { for index in unsafe environment.indices { unsafe free(environment[index]) } }
        var identifier = pid_t()
        let code = unsafe posix_spawnp(&identifier, arguments[0], &actions, &attributes, &words, &environment)
        guard code == 0 else {
            close(ends[0])
            throw SystemError("start", arguments[0], code: code)
        }
        self.identifier = identifier
        output = ends[0]
    }

    /// Reads up to the end of a line.
    func line() throws -> String {
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while unsafe read(output, &byte, 1) == 1, byte != UInt8(ascii: "\n") { bytes.append(byte) }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Reads to the end, and waits for the program.
    ///
    /// - Throws: when it did not end with status 0.
    func finish() throws -> String {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = unsafe read(output, &buffer, buffer.count)
            guard count > 0 else { break }
            bytes.append(contentsOf: buffer[..<count])
        }
        close(output)
        guard wait() == 0 else { throw BenchError("a program did not end well") }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Tells it to end, and waits.
    func stop() {
        kill(identifier, SIGTERM)
        close(output)
        _ = wait()
    }

    private func wait() -> Int32 {
        var status: Int32 = 0
        while unsafe waitpid(identifier, &status, 0) < 0, errno == EINTR {}
        return status
    }

    /// Runs a program to its end and returns what it printed.
    static func output(of arguments: [String], _ variables: [String: String] = [:]) throws -> String {
        try Child(arguments, variables).finish()
    }
}

/// Why nothing could be measured.
struct BenchError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
