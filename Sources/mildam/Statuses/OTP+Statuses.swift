import MildamOTP
import MildamTerminal

extension TokenError: EndsWithStatus {
    /// The status of `mildam`: what is no token is damaged, what is one that is not made here is refused.
    public var exitStatus: ExitStatus {
        switch self {
        case .notOTPAuth, .malformed, .missing, .duplicate, .invalid: .damaged
        case .isMigration, .tooLong, .outOfRange, .unsupported: .refused
        }
    }
}
