import MildamSystem

/// Why nothing, or nothing more, travels.
public enum TransportError: Error, Equatable, Sendable, CustomStringConvertible {
    /// Nobody answers there: the address or name that was tried, and the system's words for why.
    case unreachable(String, reason: String)
    /// It took too long.
    case timedOut(Phase)
    /// TLS: the other side is not who it should be, or the session broke.
    case tls(TLSFailure)
    /// The other side broke the rules of HTTP or WebSocket.
    case protocolViolation(ProtocolViolation)
    /// The server answered a WebSocket upgrade with something other than 101.
    case upgradeRefused(HTTPResponse)
    /// The connection ended, or is ended.
    case closed
    /// The calling task was cancelled.
    case cancelled
    /// What is named is larger than the limits of this side allow.
    case limitExceeded(Limit)
    /// What this side was asked to send is not valid: a field, a target, a close code, an address.
    case invalid(String)
    /// The operating system refused.
    case system(SystemError)

    /// What was being waited for.
    public enum Phase: String, Sendable {
        case resolving, connecting, handshake, request, response, close
    }

    /// What was too large.
    public enum Limit: String, Sendable {
        case head, body, message, connections
    }

    /// One sentence without the data that travelled.
    public var description: String {
        switch self {
        case .unreachable(let address, let reason): "cannot reach \(address): \(reason)"
        case .timedOut(let phase): "timed out (\(phase.rawValue))"
        case .tls(let failure): failure.description
        case .protocolViolation(let violation): "protocol violation: \(violation)"
        case .upgradeRefused(let response): "the server refused the WebSocket with status \(response.status)"
        case .closed: "the connection is closed"
        case .cancelled: "cancelled"
        case .limitExceeded(let limit): "\(limit.rawValue) larger than allowed"
        case .invalid(let what): "invalid: \(what)"
        case .system(let error): error.description
        }
    }
}

/// A rule of HTTP or WebSocket that the other side broke.
public enum ProtocolViolation: Error, Equatable, Sendable {
    /// Of HTTP/1.1.
    case http(HTTPViolation)
    /// Of RFC 6455.
    case webSocket(WebSocketViolation)
}
