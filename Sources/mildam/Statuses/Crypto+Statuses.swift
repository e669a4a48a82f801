import MildamCrypto
import MildamTerminal

extension ECIESError: EndsWithStatus {
    /// The status of `mildam`.
    public var exitStatus: ExitStatus {
        switch self {
        case .tooShort: .damaged
        case .authenticationFailure, .invalidPoint: .wrongSecret
        case .tooLong, .incorrectSharedSecretSize, .cryptography: .failed
        }
    }
}
