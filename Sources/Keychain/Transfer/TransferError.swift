import MildamCrypto
import MildamFiles
import MildamSystem

/// Why a file was not written, or not read at all. What is wrong with one row of it stands in the report.
public enum TransferError: Error, Equatable, Sendable {
    /// The file has more bytes than is read or written.
    case tooLarge(limit: Int)
    /// The file has more rows than is read.
    case tooManyRows(limit: Int)
    /// The file is not encoded in UTF-8.
    case notUTF8
    /// The file breaks its format at this byte, counted from 0, or ends there too early.
    case malformed(at: Int, reason: String)
    /// The file is of another format, or lacks what makes it one of this.
    case notThisFormat(reason: String)
    /// An XML file with a document type, which could define entities: it is refused unread.
    case documentTypeRefused
    /// The file is encrypted under a password, and none was given.
    case needsPassword
    /// The password does not open the file.
    case wrongPassword
    /// The password is right, and what it protects was changed since.
    case damaged
    /// The file asks for more work than is given: nothing was allocated for it.
    case costsTooHigh(reason: String)
    /// The file is of a kind that is known and cannot be read.
    case unsupported(reason: String)
    /// The file was written by a newer program.
    case newerVersion(Int64)
    /// Somebody asked for a file of plain secrets, and did not say that they know what that is.
    case plaintextNotAccepted
    /// The desktop's keyring could not be read; the reason is foreign text.
    case keyring(String)
    /// The keychain refused.
    case keychain(KeychainError)
    /// The age file could not be written or opened.
    case file(AgeError)
    /// The cryptographic library refused.
    case cryptography(CryptoKitError)
    /// The operating system refused.
    case io(SystemError)
}

extension TransferError: CustomStringConvertible {
    /// What happened, and what to do.
    public var description: String {
        switch self {
        case .tooLarge(let limit): "it has more than \(limit >> 20) MiB; split it"
        case .tooManyRows(let limit): "it has more than \(limit) rows; split it"
        case .notUTF8: "it is not UTF-8; save it as UTF-8"
        case .malformed(let place, let reason): "it is malformed at byte \(place): \(reason)"
        case .notThisFormat(let reason): reason
        case .documentTypeRefused: "it has a document type, which can define entities; export it anew without one"
        case .needsPassword: "it is encrypted; give its password"
        case .wrongPassword: "the password is wrong"
        case .damaged: "it was damaged or changed after it was written; export it anew"
        case .costsTooHigh(let reason): "opening it takes too much work: \(reason)"
        case .unsupported(let reason): reason
        case .newerVersion(let version): "it is of version \(version), which a newer mildam wrote; update this one"
        case .plaintextNotAccepted:
            "a CSV file shows every password to whoever reads it; accept that, or export an encrypted bundle"
        case .keyring(let reason): reason
        case .keychain(let error): error.description
        case .file(let error): error.description
        case .cryptography(let error): "the cryptographic library refused: \(error)"
        case .io(let error): error.description
        }
    }
}

extension TransferError {
    /// Does what the system may refuse, and reports the refusal.
    static func ofSystem<Result: ~Copyable>(
        _ body: () throws(SystemError) -> Result
    ) throws(TransferError) -> Result {
        do throws(SystemError) { return try body() } catch { throw .io(error) }
    }

    /// Does what age may refuse, and reports the refusal.
    static func ofAge<Result: ~Copyable>(_ body: () throws(AgeError) -> Result) throws(TransferError) -> Result {
        do throws(AgeError) { return try body() } catch { throw .file(error) }
    }
}
