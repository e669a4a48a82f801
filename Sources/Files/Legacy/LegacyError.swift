import MildamCrypto
import MildamSystem

/// Why a file without authentication was not opened.
public enum LegacyError: Error, Equatable, Sendable, SystemFailure {
    /// The padding at the end is wrong under every key that the secret may mean: wrong secret, salt, IV or layout, or a
    /// damaged end. Damage elsewhere goes unnoticed.
    case wrongPadding
    /// Its length is that of no ciphertext in CBC: nothing, or no multiple of 16 bytes.
    case truncated
    /// An IV of another size than 16 bytes, or a number of rounds below 1.
    case invalidParameter
    /// The file changed while it was read, so that what was read is perhaps no state that it ever had.
    case sourceChanged
    /// The caller called it off.
    case cancelled
    /// The operating system refused.
    case io(SystemError)
    /// The cryptographic library refused.
    case cryptography(CryptoKitError)
}

extension LegacyError: CustomStringConvertible {
    /// What happened, in one line.
    public var description: String {
        switch self {
        case .wrongPadding: "wrong password, salt, IV or layout, or the file is damaged: the layout cannot tell which"
        case .truncated: "a part of the file is missing, or it is no such file"
        case .invalidParameter: "the IV has 16 bytes, and there is at least one round"
        case .sourceChanged: "the file changed while it was read"
        case .cancelled: "cancelled"
        case .io(let error): error.description
        case .cryptography(let error): "the cryptographic library refused: \(error)"
        }
    }
}
