/// Why a program did not go to the background.
public enum DaemonError: Error, Equatable, Sendable, CustomStringConvertible {
    /// It ended, with this exit status (or 128 and the number of a signal), and this was said before by it: at most
    /// 4096 bytes, as they came.
    case failed(String, status: Int32, said: String)
    /// It was not ready in time, and was killed.
    case late(String, Duration)
    /// It could not be started.
    case system(SystemError)

    /// "/usr/bin/mildam did not start: no such profile".
    public var description: String {
        switch self {
        case .failed(let path, let status, let said):
            let lines = said.split(whereSeparator: \.isNewline)
            return "\(path) did not start: \(lines.last.map(String.init) ?? "it ended with status \(status)")"
        case .late(let path, let limit): return "\(path) was not ready within \(limit)"
        case .system(let error): return error.description
        }
    }
}
