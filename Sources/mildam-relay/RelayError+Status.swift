import MildamRelay
import MildamSystem
import MildamTerminal
import MildamTransport

extension RelayError: EndsWithStatus {
    /// The status of `mildam-relay`.
    public var exitStatus: ExitStatus {
        switch self {
        case .noData: .notFound
        case .publicURL: .usage
        case .alreadyRunning, .plainOffLoopback: .refused
        case .damaged, .secretsMissing: .damaged
        case .storage(.damaged), .storage(.notOurs): .damaged
        case .storage(.newerVersion), .storage(.locked), .storage(.busy), .storage(.readOnly): .refused
        case .storage(.io(let error)): error.exitStatus
        case .transport(.system(let error)): error.exitStatus
        case .system(let error): error.exitStatus
        case .transport(.tls(let failure)): failure.fileError?.exitStatus ?? .failed
        case .storage, .transport: .failed
        }
    }
}
