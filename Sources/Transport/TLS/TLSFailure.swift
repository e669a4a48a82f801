import MildamSystem

/// Why a TLS session was refused or broke.
public enum TLSFailure: Error, Equatable, Sendable, CustomStringConvertible {
    /// The certificate is past its last day.
    case certificateExpired
    /// The certificate's first day is still to come, or this machine's clock is wrong.
    case certificateNotYetValid
    /// No trusted authority signed the certificate.
    case unknownAuthority
    /// The certificate is for another name or address.
    case wrongName
    /// The certificate's public key is not the pinned one.
    case pinMismatch
    /// The certificate fails for another reason: an `X509_V_ERR_` number of OpenSSL.
    case certificateInvalid(code: Int)
    /// The connection ended without TLS's own goodbye: what came may be cut short.
    case truncated
    /// The handshake or a record failed: OpenSSL's reason number. The other side may not speak TLS 1.3 at all.
    case protocolError(code: Int)
    /// A file of certificates, keys or authorities cannot be used.
    case configuration(file: String, TLSFileFault)

    /// One sentence: what is wrong.
    public var description: String {
        switch self {
        case .certificateExpired: "the server's certificate has expired"
        case .certificateNotYetValid: "the server's certificate is not valid yet"
        case .unknownAuthority: "no trusted authority signed the server's certificate"
        case .wrongName: "the server's certificate is for another name"
        case .pinMismatch: "the server's key is not the pinned one"
        case .certificateInvalid(let code): "the server's certificate is invalid (X.509 error \(code))"
        case .truncated: "the connection was cut off inside TLS"
        case .protocolError(let code): "TLS failed (reason \(code))"
        case .configuration(let file, let fault): fileError?.description ?? "cannot use \(file) for TLS: \(fault)"
        }
    }

    /// What the system says of a file that cannot be read; `nil` for any other failure.
    public var fileError: SystemError? {
        guard case .configuration(let file, .unreadable(let code)) = self else { return nil }
        return SystemError("open", file, code: code)
    }
}
