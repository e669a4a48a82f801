import MildamFiles

/// What a file is said to be with `--format`, where it does not say so itself.
enum FileFormat: String, CaseIterable {
    case age
    case rnCryptor = "rncryptor"
    case rnCryptorCounter = "rncryptor-ctr"
    case rnCryptorUnmarked = "rncryptor-unmarked"
    case rnCryptorUnmarkedCounter = "rncryptor-unmarked-ctr"
    case passwordAsKey = "aes256-category"
    case pbkdf2 = "aes-cbc-pbkdf2"

    /// What a file that says so itself is.
    init?(_ kind: FileKind) {
        switch kind {
        case .age, .armoredAge: self = .age
        case .rnCryptor: self = .rnCryptor
        case .other: return nil
        }
    }

    /// Which of RNCryptor's, if it is one.
    var rnCryptor: RNCryptorFormat? {
        switch self {
        case .rnCryptor: .detected
        case .rnCryptorCounter: .counterSHA256
        case .rnCryptorUnmarked: .unmarked
        case .rnCryptorUnmarkedCounter: .unmarkedCounterSHA256
        case .age, .passwordAsKey, .pbkdf2: nil
        }
    }
}
