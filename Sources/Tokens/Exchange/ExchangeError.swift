/// Why no answer came. Nothing in it comes from the request or from the server.
public enum ExchangeError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The name is not known, or nobody listens there, or the proxy cannot be reached.
    case unreachable
    /// TLS was refused by either side, or the certificate is not the server's.
    case tls
    /// It took too long.
    case timedOut
    /// The connection ended before the whole answer had come, or what came is no HTTP.
    case cut
    /// The answer is longer than the limit, and was not read to its end.
    case tooLong
    /// The task was cancelled.
    case cancelled
    /// The request cannot be sent: a field has bytes that no field may have.
    case invalidRequest
    /// libcurl cannot do what it was asked, with its own code (libcurl-errors(3)).
    case library(code: UInt32)

    /// What happened, and what to do.
    public var description: String {
        switch self {
        case .unreachable: "the server cannot be reached; look at the network, and at the proxy's address"
        case .tls: "TLS with the server failed: its certificate is not trusted, or not for this name"
        case .timedOut: "the server did not answer in time"
        case .cut: "the server's answer was cut off"
        case .tooLong: "the server's answer is too long"
        case .cancelled: "it was cancelled"
        case .invalidRequest: "the request cannot be sent: a field has bytes that it must not have"
        case .library(let code): "libcurl failed with its code \(code)"
        }
    }
}
