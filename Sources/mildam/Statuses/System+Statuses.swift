import MildamSystem
import MildamTerminal

extension DaemonError: EndsWithStatus {
    /// The status of `mildam`: the one that the program in the background ended with.
    public var exitStatus: ExitStatus {
        switch self {
        case .failed(_, let status, _): status == 0 ? .failed : ExitStatus(rawValue: status) ?? .failed
        case .late: .failed
        case .system(let error): error.exitStatus
        }
    }
}
