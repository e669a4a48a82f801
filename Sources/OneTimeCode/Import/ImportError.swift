import MildamCrypto
import MildamOTP
import MildamWire

/// Why nothing was imported from a file. What is wrong with one row is that row's `TokenError`, and does not stop others.
public enum ImportError: Error, Equatable, Sendable {
    /// Nothing here reads this kind of file.
    case unknownFormat
    /// The file, or what it holds encrypted, is larger than `limit` bytes.
    case tooLarge(limit: Int)
    /// The file has more than `limit` rows.
    case tooManyRows(limit: Int)
    /// The text is no JSON that is read here.
    case malformedJSON(JSONDefect)
    /// It looks like a file of this format, and a part is missing or means nothing.
    case malformed(ImportFormat)
    /// A newer version of the format than is known here.
    case unsupportedVersion(ImportFormat, Int64)
    /// The file is encrypted, and no password was given.
    case passwordNeeded(ImportFormat)
    /// An Aegis vault that only a fingerprint opens: it has to be exported with a password.
    case noPasswordSlot
    /// Turning the password into a key would take more memory or time than the limits allow.
    case tooCostly(ImportFormat)
    /// Nothing opened with this password: it is wrong, or the file is damaged where that cannot be told from it.
    case wrongPassword(ImportFormat)
    /// The password is right, and the content is not what was written.
    case damaged(ImportFormat)
    /// The batches of Google Authenticator's export do not make a whole.
    case migration(MigrationError)
    /// The cryptographic library refused, for lack of memory as a rule.
    case cryptography(CryptoKitError)
}

extension ImportError: CustomStringConvertible {
    /// What happened, in one line.
    public var description: String {
        switch self {
        case .unknownFormat: "no known kind of file with one-time-code tokens"
        case .tooLarge(let limit): "the file has more than \(limit) bytes"
        case .tooManyRows(let limit): "the file has more than \(limit) tokens"
        case .malformedJSON(let defect): "the JSON cannot be read: \(defect)"
        case .malformed(let format): "this looks like \(format.title), but a part of it is missing or means nothing"
        case .unsupportedVersion(let format, let version): "\(format.title) of version \(version), which is not known"
        case .passwordNeeded(let format): "\(format.title) needs its password"
        case .noPasswordSlot: "this Aegis vault opens with a fingerprint only: export it with a password"
        case .tooCostly(let format):
            "opening \(format.title) would take more memory or time than any that its program writes"
        case .wrongPassword(let format): "wrong password, or \(format.title) that is damaged: nothing tells which"
        case .damaged(let format): "the password is right, but \(format.title) is damaged"
        case .migration(let error): error.description
        case .cryptography(let error): "the cryptographic library refused: \(error)"
        }
    }
}
