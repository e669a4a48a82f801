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
    /// The status of `mildam`: by its code, as where the profile's client tells it.
    public var exitStatus: ExitStatus { ClientFault.exitStatus(of: code) }
}

extension ClientError: EndsWithStatus {
    /// The status of `mildam`: by its code, however it was asked for.
    public var exitStatus: ExitStatus { ClientFault.exitStatus(of: code.rawValue) }
}
