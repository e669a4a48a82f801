import MildamCrypto
import MildamIdentity
import MildamOTP

/// What somebody shows as a second factor.
enum PresentedFactor: Sendable {
    /// A code, as it was typed.
    case code(String)
    /// A recovery code, as it was typed.
    case recovery(String)
}

/// The second factor of an account: which codes are good, and how long wrong ones make everybody wait. Pure.
struct SecondFactor: Equatable, Sendable {
    /// The wrong codes that cost nothing.
    static let freeFailures = 5
    /// How long the next one makes wait, in seconds; each further one doubles it.
    static let firstDelay: Int64 = 30
    /// The longest wait, in seconds.
    static let longestDelay: Int64 = 3600
    /// Where counting ends; no wait depends on more.
    static let maximumFailures = 1000

    /// The last time step whose code was taken: no code counts that is not newer (RFC 6238, section 5.2).
    var step: UInt64
    /// Wrong codes since the last right one.
    var failures: Int
    /// Until when no code is looked at, in seconds since 1970.
    var lockedUntil: Int64

    /// What becomes of it when a code is shown.
    enum Outcome: Equatable {
        /// The code is right; this is to be stored with what it is shown for.
        case accepted(SecondFactor)
        /// The code is wrong, or not newer than the last; this is to be stored.
        case refused(SecondFactor)
        /// Nobody looks at codes yet, for so many seconds; nothing changes.
        case locked(seconds: Int64)
    }

    /// Shows a code.
    ///
    /// - Parameter now: seconds since 1970.
    func present(_ code: String, to token: OneTimePassword, at now: Int64) -> Outcome {
        guard now >= lockedUntil else {
            let (rest, isAbsurd) = lockedUntil.subtractingReportingOverflow(now)
            return .locked(seconds: isAbsurd ? .max : rest)
        }
        if let found = token.matches(code, at: UInt64(clamping: now)), found > step {
            return .accepted(SecondFactor(step: found, failures: 0, lockedUntil: 0))
        }
        let failures = min(failures + 1, Self.maximumFailures)
        let (until, isAbsurd) = now.addingReportingOverflow(Self.delay(after: failures))
        return .refused(SecondFactor(step: step, failures: failures, lockedUntil: isAbsurd ? .max : until))
    }

    /// How long to wait after so many wrong codes, in seconds.
    static func delay(after failures: Int) -> Int64 {
        guard failures >= freeFailures else { return 0 }
        let doublings = min(failures - freeFailures, 16)
        return min(firstDelay << Int64(doublings), longestDelay)
    }

    /// The token of a secret, as programs take it from the URI.
    static func token(_ secret: SymmetricKey, of handle: Handle) -> OneTimePassword? {
        try? OneTimePassword(secret: secret, issuer: "Mildam", account: handle.text)
    }
}
