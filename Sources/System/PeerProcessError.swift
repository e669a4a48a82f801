import Glibc

/// Why it cannot be said which program is at the other end of a connection. Nobody is to be trusted then.
public enum PeerProcessError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The process has ended, or has closed the connection.
    case ended
    /// It lives in another PID namespace, such as a container's.
    case outOfSight
    /// It may not be looked at: it is another user's, or has made itself undumpable (prctl(2)), as programs with
    /// privileges are and those which their user may not read.
    case hidden(SystemError)
    /// The kernel did not answer as it should.
    case system(SystemError)

    /// Sorts what a call gave.
    init(_ error: SystemError) {
        self =
            switch error.code {
            case ENOENT, ESRCH, ENOTCONN: .ended
            case EACCES, EPERM: .hidden(error)
            default: .system(error)
            }
    }

    /// "the program at the other end has ended".
    public var description: String {
        switch self {
        case .ended: "the program at the other end has ended"
        case .outOfSight: "the program at the other end runs where its process cannot be seen"
        case .hidden(let error): "the program at the other end may not be looked at: \(error)"
        case .system(let error): "the program at the other end cannot be looked at: \(error)"
        }
    }
}
