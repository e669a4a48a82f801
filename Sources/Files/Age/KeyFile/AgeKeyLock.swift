import MildamCrypto

/// Why a key file that is under a passphrase was not opened.
public enum AgeKeyLock: Error, Equatable, Sendable {
    /// There is no passphrase, for a reason in the words of whoever was to be asked.
    case noPassphrase(reason: String)
    /// The passphrase is wrong.
    case wrongPassphrase
    /// The passphrase may be right, and what it opens is not what was written.
    case damaged
    /// Turning the passphrase into a key takes more work than is allowed.
    case tooCostly
    /// The file was opened, and what is in it cannot be used.
    case unusable(AgeKeyError)
    /// The cryptographic library refused, for lack of memory as a rule.
    case cryptography(CryptoKitError)

    /// Why an age file of keys was not opened with a passphrase.
    init(_ error: AgeError) {
        self =
            switch error {
            case .noIdentityMatches, .emptyPassphrase: .wrongPassphrase
            case .workFactorTooHigh: .tooCostly
            case .cryptography(let error): .cryptography(error)
            default: .damaged
            }
    }
}

extension AgeKeyLock: CustomStringConvertible {
    /// What happened, in one line that goes on after the key file's name.
    public var description: String {
        switch self {
        case .noPassphrase(let reason): "it is under a passphrase: \(reason)"
        case .wrongPassphrase: "wrong passphrase"
        case .damaged: "the key file is damaged"
        case .tooCostly: "opening the key file takes too much work"
        case .unusable(let error): error.description
        case .cryptography(let error): "the cryptographic library refused: \(error)"
        }
    }
}
