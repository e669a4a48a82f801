/// A kind of file that tokens are imported from. The raw values are names for a command line.
public enum ImportFormat: String, CaseIterable, Sendable {
    /// `otpauth://` URIs, one a line; lines that are empty or begin with `#` are passed over. ente's plain export is one.
    case uriList = "uris"
    /// `otpauth-migration://` URIs of one export of Google Authenticator, one a line.
    case migration = "google"
    /// Aegis's vault, not encrypted (versions 1 to 3 of its content).
    case aegis = "aegis"
    /// Aegis's vault, encrypted: slots of scrypt and AES-256-GCM, which hold the key of the content.
    case aegisEncrypted = "aegis-encrypted"
    /// 2FAS's backup (schema versions up to 4).
    case twoFAS = "2fas"
    /// 2FAS's backup, encrypted: PBKDF2 with HMAC-SHA256, AES-256-GCM.
    case twoFASEncrypted = "2fas-encrypted"
    /// andOTP's backup.
    case andOTP = "andotp"
    /// andOTP's backup, encrypted: PBKDF2 with HMAC-SHA1, AES-256-GCM. It bears no mark but a plausible number of rounds.
    case andOTPEncrypted = "andotp-encrypted"
    /// andOTP's backup before version 0.6.3, whose key is the password's SHA-256. It bears no mark at all, and is only
    /// read when it is named.
    case andOTPEncryptedOld = "andotp-encrypted-old"
    /// ente's encrypted export: Argon2id, libsodium's secretstream.
    case enteEncrypted = "ente-encrypted"
    /// A JSON array of objects, their names found as `FieldMap` says.
    case tokenArray = "json"

    /// Whether a password opens it.
    public var needsPassword: Bool {
        switch self {
        case .aegisEncrypted, .twoFASEncrypted, .andOTPEncrypted, .andOTPEncryptedOld, .enteEncrypted: true
        case .uriList, .migration, .aegis, .twoFAS, .andOTP, .tokenArray: false
        }
    }

    /// What the format is called.
    public var title: String {
        switch self {
        case .uriList: "a list of otpauth:// URIs"
        case .migration: "an export of Google Authenticator"
        case .aegis: "an Aegis vault"
        case .aegisEncrypted: "an encrypted Aegis vault"
        case .twoFAS: "a 2FAS backup"
        case .twoFASEncrypted: "an encrypted 2FAS backup"
        case .andOTP: "an andOTP backup"
        case .andOTPEncrypted: "an encrypted andOTP backup"
        case .andOTPEncryptedOld: "an encrypted andOTP backup of the old kind"
        case .enteEncrypted: "an encrypted ente export"
        case .tokenArray: "a JSON array of tokens"
        }
    }

    /// What kind of file this is; `nil` where nothing here reads it.
    ///
    /// - Parameter file: the whole file.
    public static func detect(_ file: Span<UInt8>) -> ImportFormat? { (try? ImportedFile(file))?.format }
}
