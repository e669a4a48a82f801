import CEpoll
import Glibc
import MildamSystem

/// Two cores: the first is the server's, the second the load's.
enum Cores {
    /// A command that runs on the first core.
    static func first(_ command: [String]) -> [String] { ["taskset", "-c", "0"] + command }

    /// A command that runs on the second core.
    static func second(_ command: [String]) -> [String] { ["taskset", "-c", "1"] + command }

    /// Moves the process to the second core; what it starts from then on stays there too, unless it is told otherwise.
    static func moveToSecond() throws {
        _ = try Child.output(of: ["taskset", "-a", "-p", "-c", "1", "\(getpid())"])
    }
}
