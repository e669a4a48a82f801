import MildamCrypto
import MildamFiles
import MildamKeychain
import MildamSystem
import MildamTerminal
import MildamVault

/// What is wrong with a file that was read, and which it is.
struct InputError: EndsWithStatus, CustomStringConvertible {
    let label: String
    let error: any Error

    var description: String { "\(label): \(error)" }
    var exitStatus: ExitStatus { ExitStatus(error) }

    /// Names the file in an error of its format; the system's own name it already.
    static func naming<Result>(_ label: String, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch  where error.isOfFormat && error.systemError == nil {
            throw InputError(label: label, error: error)
        }
    }
}

extension Error {
    fileprivate var isOfFormat: Bool {
        switch self as any Error {
        // The keychain is not what is wrong with the file.
        case TransferError.keychain: false
        // Nor is the input, where a key file is.
        case AgeError.lockedKey, TransferError.file(.lockedKey): false
        default:
            self is AgeError || self is RNCryptorError || self is LegacyError || self is TransferError
                || self is ECIESError || self is ECKeyError
        }
    }

    /// What the system refused, whoever says so.
    var systemError: SystemError? {
        switch self as any Error {
        case let error as SystemError: error
        case let error as InputError: error.error.systemError
        case let error as KeyFileError: error.error.systemError
        case AgeError.io(let error), AgeKeyError.io(let error), RNCryptorError.io(let error), LegacyError.io(let error),
            VaultError.io(let error), TransferError.io(let error), ECKeyError.io(let error):
            error
        case TransferError.file(let error): error.systemError
        default: nil
        }
    }
}
