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

extension RoomFault: EndsWithStatus {
    /// The status of `mildam`: what is stored and cannot be read is damaged.
    public var exitStatus: ExitStatus {
        switch code {
        case "not-readable": .damaged
        case "no-account", "no-such-room", "unknown-account": .notFound
        case "unreachable": .unreachable
        default: .refused
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
