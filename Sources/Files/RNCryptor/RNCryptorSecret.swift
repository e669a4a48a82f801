import MildamCrypto

/// What an RNCryptor file is made and opened with.
public enum RNCryptorSecret: ~Copyable, Sendable {
    /// A password in UTF-8. Both keys are derived from it, by 10,000 rounds of PBKDF2-HMAC-SHA1: a guess costs a
    /// processor some milliseconds.
    case password(SecretBytes)
    /// Two keys of 32 bytes each.
    case keys(encryption: SymmetricKey, hmac: SymmetricKey)

    var isPassword: Bool {
        switch self {
        case .password: true
        case .keys: false
        }
    }

    var isEmptyPassword: Bool {
        switch self {
        case .password(let password): password.count == 0
        case .keys: false
        }
    }
}
