import Foundation
import Glibc
import MildamSystem
import TestSupport
import Testing

/// A person's terminal: a shell script in a session of its own on a pseudo-terminal, what is typed, and what is seen.
///
/// The shell leads the session, as a person's does: after a program has ended, its terminal is still there to be asked.
@safe
package final class TerminalSession: @unchecked Sendable {  // `screen` has a lock; the rest never changes
    private let screen: Lock<TerminalScreen>
    private let terminal: Int32
    private let leader: pid_t

    /// Starts a script with arguments; `set -m` in it makes each command a job in the foreground.
    package init(_ script: String, _ arguments: [String], environment: [String: String], columns: Int = 80) throws {
        var ends: (Int32, Int32) = (-1, -1)
        var size = winsize(ws_row: 24, ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
        guard unsafe openpty(&ends.0, &ends.1, nil, nil, &size) == 0 else {
            throw SystemError.last("open a terminal")
        }
        terminal = ends.0
        defer { close(ends.1) }
        _ = fcntl(terminal, F_SETFD, FD_CLOEXEC)
        guard let path = unsafe ttyname(ends.1).map({ unsafe String(cString: $0) }) else {
            throw SystemError.last("name a terminal")
        }
        let variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        leader = try TerminalSession.spawn(
            ["/bin/sh", "-c", script, "sh"] + arguments,
            on: path,
            variables.map { "\($0)=\($1)" }
        )
        screen = Lock(TerminalScreen(columns: columns))
        Thread.detachNewThread { [screen, terminal] in TerminalSession.read(terminal, onto: screen) }
    }

    deinit {
        kill(-leader, SIGKILL)
        // The reader ends when the last of the session's programs does.
        var status: Int32 = 0
        _ = unsafe waitpid(leader, &status, 0)
    }

    /// Takes the session's leader away, and the terminal with it, as when somebody closes its window.
    package func hangUp() { kill(leader, SIGKILL) }

    private static func spawn(_ arguments: [String], on path: String, _ environment: [String]) throws -> pid_t {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        // The first terminal that a session's leader opens becomes the session's.
        unsafe posix_spawn_file_actions_addopen(&actions, 0, path, O_RDWR, 0)
        for number in [1, 2] as [Int32] { unsafe posix_spawn_file_actions_adddup2(&actions, 0, number) }
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        // A thread of Swift's may have every signal blocked.
        var none = sigset_t()
        unsafe sigemptyset(&none)
        unsafe posix_spawnattr_setsigmask(&attributes, &none)
        let newSession: Int16 = 0x80
        unsafe posix_spawnattr_setflags(&attributes, newSession | Int16(POSIX_SPAWN_SETSIGMASK))
        var list = unsafe arguments.map { unsafe strdup($0) } + [nil]
        var variables = unsafe environment.map { unsafe strdup($0) } + [nil]
        defer {
            for index in unsafe list.indices { unsafe free(list[index]) }
            for index in unsafe variables.indices { unsafe free(variables[index]) }
        }
        var number: pid_t = 0
        let code = unsafe posix_spawn(&number, "/bin/sh", &actions, &attributes, &list, &variables)
        guard code == 0 else { throw SystemError("start", "/bin/sh", code: code) }
        return number
    }

    private static func read(_ terminal: Int32, onto screen: Lock<TerminalScreen>) {
        var bytes = [UInt8](repeating: 0, count: 4096)
        var rest: [UInt8] = []
        while true {
            let got = unsafe Glibc.read(terminal, &bytes, bytes.count)
            if got < 0, errno == EINTR { continue }
            guard got > 0 else { break }
            rest += bytes.prefix(got)
            // A scalar that was cut waits for its end.
            let cut = cutScalar(at: rest)
            let text = String(decoding: rest.dropLast(cut), as: UTF8.self)
            rest = Array(rest.suffix(cut))
            screen.withLock { $0.show(text) }
        }
        close(terminal)
    }

    /// How many bytes at the end are the beginning of a scalar.
    private static func cutScalar(at bytes: [UInt8]) -> Int {
        for count in 1..<4 where bytes.count >= count && bytes[bytes.count - count] >= 0xC0 {
            let lead = bytes[bytes.count - count]
            return count < (lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2) ? count : 0
        }
        return 0
    }

    /// Types, or presses keys.
    package func type(_ text: String) {
        let bytes = Array(text.utf8)
        _ = unsafe write(terminal, bytes, bytes.count)
    }

    /// Gives the terminal another width; whoever is in the foreground hears of it.
    package func resize(to columns: Int) {
        var size = winsize(ws_row: 24, ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
        _ = unsafe ioctl(terminal, UInt(TIOCSWINSZ), &size)
    }

    /// What is seen.
    package var rows: [String] { screen.withLock { $0.rows } }

    /// What is seen, with the cursor as "|" in the last row, and sequences that nobody should have written.
    package var view: String {
        screen.withLock { screen in
            (screen.rows.dropLast() + ["\(screen.beforeCursor)|\(screen.afterCursor)"] + screen.unknown)
                .joined(separator: "\n")
        }
    }

    /// Whether the program asked to be told what is pasted.
    package var isPasteBracketed: Bool { screen.withLock { $0.isPasteBracketed } }

    /// Waits until the last row is `row`, with the cursor at "|".
    package func cursor(at row: String, within seconds: Double = 30) async throws -> Bool {
        try await see(within: seconds) { $0.beforeCursor + "|" + $0.afterCursor == row }
    }

    /// Waits until a row holds `text`.
    package func see(_ text: String, within seconds: Double = 30) async throws -> Bool {
        try await see(within: seconds) { screen in screen.rows.contains { $0.contains(text) } }
    }

    /// Waits until what is seen is as it should be.
    package func see(
        within seconds: Double = 30,
        _ isThere: @escaping @Sendable (TerminalScreen) -> Bool
    ) async throws -> Bool {
        try await Blocking.run { [screen] in
            let limit = Date(timeIntervalSinceNow: seconds)
            while Date() < limit {
                if screen.withLock({ isThere($0) }) { return true }
                usleep(10_000)
            }
            return false
        }
    }
}
