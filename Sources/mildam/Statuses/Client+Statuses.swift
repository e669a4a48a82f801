import MildamClientAPI
import MildamMessenger
import MildamTerminal

extension ClientLinkError: EndsWithStatus {
    /// The status of `mildam`.
    public var exitStatus: ExitStatus {
        switch self {
        case .refused(let error): error.exitStatus
        case .ended, .late, .misunderstood: .failed
        case .system(let error): error.exitStatus
        }
    }
}

extension ClientError: EndsWithStatus {
    /// The status of `mildam`: `.notFound` for what was named and is not there, otherwise `.refused`.
    public var exitStatus: ExitStatus {
        switch code {
        case .noSuchRoom, .noSuchMember: .notFound
        default: .refused
        }
    }
}
