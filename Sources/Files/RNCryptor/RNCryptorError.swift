import MildamCrypto
import MildamSystem

/// Why an RNCryptor file was not written or not opened.
///
/// The format has one check, its HMAC, whose key comes from the password: a wrong password and a damaged file are the
/// same to it, and so are one error here.
public enum RNCryptorError: Error, Equatable, Sendable, SystemFailure {
    /// The file does not begin as one of RNCryptor's does.
    case notRNCryptor
    /// A version that is not read. Version 4 never left its draft.
    case unsupportedVersion(UInt8)
    /// The second byte has bits that mean nothing.
    case unknownOptions(UInt8)
    /// The file was made with a password and keys were given, or the other way round.
    case differentlyKeyed(needsPassword: Bool)
    /// Its length is that of no whole file: the end is missing, or a part.
    case truncated
    /// The HMAC is not that of the file under this secret, or, where the HMAC does not cover the header (version 1 and
    /// before), the padding is wrong.
    case authenticationFailed
    /// A file is not written under an empty password.
    case emptyPassword
    /// A key of another size than 32 bytes.
    case invalidKeySize
    /// The file changed while it was read, so that what was read is perhaps no state that it ever had.
    case sourceChanged
    /// The caller called it off.
    case cancelled
    /// The operating system refused.
    case io(SystemError)
    /// The cryptographic library refused.
    case cryptography(CryptoKitError)
}

extension RNCryptorError: CustomStringConvertible {
    /// What happened, in one line.
    public var description: String {
        switch self {
        case .notRNCryptor: "this is no RNCryptor file"
        case .unsupportedVersion(let version): "an RNCryptor file of version \(version); 1, 2 and 3 can be read"
        case .unknownOptions(let options): "an RNCryptor file with unknown options (\(options))"
        case .differentlyKeyed(true): "this file was made with a password, not with keys"
        case .differentlyKeyed(false): "this file was made with two keys, not with a password"
        case .truncated: "a part of the file is missing"
        case .authenticationFailed: "wrong password or key, or the file is damaged: the format cannot tell which"
        case .emptyPassword: "an RNCryptor file needs a password"
        case .invalidKeySize: "RNCryptor's keys have 32 bytes each"
        case .sourceChanged: "the file changed while it was read"
        case .cancelled: "cancelled"
        case .io(let error): error.description
        case .cryptography(let error): "the cryptographic library refused: \(error)"
        }
    }
}
