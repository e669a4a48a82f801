import MildamSystem

/// Why a key of an elliptic curve was not read. Nothing of the key is in any case.
public enum ECKeyError: Error, Equatable, Sendable, SystemFailure {
    /// A public key, where a private one is needed.
    case publicKey
    /// A private key, where a public one is needed: nobody else should have it.
    case privateKey
    /// A private key under a password.
    case encrypted
    /// It has the form of a key, and is none of P-256, P-384 or P-521, or is damaged.
    case malformed
    /// It has no form in which keys are read.
    case unknown
    /// More bytes than `ECKeyFile.maximumSize`.
    case tooLarge
    /// The operating system refused.
    case io(SystemError)
}

extension ECKeyError: CustomStringConvertible {
    /// What happened, and what to do.
    public var description: String {
        switch self {
        case .publicKey: "this is a public key; the private one opens what was encrypted"
        case .privateKey: "this is a private key: encrypt to its public key, and give it to nobody"
        case .encrypted: "the private key is under a password; take it off first, with `openssl pkey` into a pipe"
        case .malformed: "this is no key of P-256, P-384 or P-521, or it is damaged"
        case .unknown: "this is no key: PEM, DER, or the bytes 04 ‖ X ‖ Y (‖ K) are read"
        case .tooLarge: "this is no key: it has more than \(ECKeyFile.maximumSize) bytes"
        case .io(let error): error.description
        }
    }
}
