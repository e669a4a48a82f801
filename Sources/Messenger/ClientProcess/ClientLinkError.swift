import Glibc
import MildamClientAPI
import MildamSystem

/// Why a profile's client did not answer.
public enum ClientLinkError: Error, Equatable, Sendable {
    /// It refused what was asked for.
    case refused(ClientError)
    /// It has ended the connection.
    case ended
    /// It has not answered in time.
    case late(Duration)
    /// What it says is not understood: it is of another version.
    case misunderstood(ClientLineDefect)
    /// The socket cannot be used.
    case system(SystemError)
}

extension ClientLinkError: CustomStringConvertible {
    /// What happened, and what to do.
    public var description: String {
        switch self {
        case .refused(let error) where error.code == .lent:
            return "another command works with the profile by itself, and has not ended yet; try again when it has"
        case .refused(let error):
            let details = error.parameters.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
            return (["the profile's client refuses: \(error.code.rawValue)"] + details).joined(separator: "; ")
        case .ended: return "the profile's client has ended; try again"
        case .late(let limit):
            return "the profile's client has not answered within \(limit); `mildam client stop` ends it"
        case .misunderstood(let defect):
            return "the profile's client is of another version (\(defect)); end it with `mildam client stop`"
        case .system(let error): return error.description
        }
    }
}

extension ClientLinkError {
    /// Whether something listens that does not greet as a client of this version does.
    var isOfStranger: Bool {
        if case .misunderstood = self { true } else { false }
    }

    /// Whether what listens cannot be told to end: it does not understand that, does not greet, or takes nobody more in.
    var isOfDeaf: Bool {
        switch self {
        case .misunderstood, .late: true
        case .refused(let error): error.code == .tooManyWindows
        case .system(let error): error.code == ETIMEDOUT
        case .ended: false
        }
    }
}
