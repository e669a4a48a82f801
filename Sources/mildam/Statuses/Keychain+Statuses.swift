import MildamEnclave
import MildamFiles
import MildamKeychain
import MildamSystem
import MildamTerminal

extension KeychainError: EndsWithStatus {
    /// The status of `mildam`.
    public var exitStatus: ExitStatus {
        switch self {
        case .wrongSecret: .wrongSecret
        case .itemNotFound, .noKeychain, .noSuchSlot: .notFound
        case .damagedItem, .damagedPast, .changedFromOutside, .rolledBack: .damaged
        case .locked, .needsPassphrase, .tooManyTries, .accessGroupDenied, .alreadyExists, .duplicateItem,
            .ambiguousItem, .lastSlot, .foreignAgent, .replaced, .changedMeanwhile:
            .refused
        case .invalidRequest: .usage
        case .storage(let error): error.exitStatus
        case .io(let error): error.exitStatus
        // As where no keychain stands between.
        case .absentEnclave(let absence, _): EnclaveError.absent(address: "", absence).exitStatus
        case .enclave, .agent: .failed
        }
    }
}

extension EnclaveKeyError: EndsWithStatus {
    /// The status of `mildam`.
    public var exitStatus: ExitStatus {
        switch self {
        case .noKey: .notFound
        case .nameTaken, .ambiguous: .refused
        case .invalidName: .usage
        case .unusable(_, let error): error.exitStatus
        case .keychain(let error): error.exitStatus
        }
    }
}

extension TransferError: EndsWithStatus {
    /// The status of `mildam`.
    public var exitStatus: ExitStatus {
        switch self {
        case .wrongPassword: .wrongSecret
        case .notUTF8, .malformed, .notThisFormat, .documentTypeRefused, .damaged: .damaged
        case .costsTooHigh, .newerVersion, .plaintextNotAccepted, .needsPassword, .tooLarge, .tooManyRows, .unsupported:
            .refused
        case .keychain(let error): error.exitStatus
        case .file(let error): error.exitStatus
        case .io(let error): error.exitStatus
        case .keyring, .cryptography: .failed
        }
    }
}

extension RowDefect: EndsWithStatus {
    /// The status of `mildam`.
    public var exitStatus: ExitStatus {
        switch self {
        case .notUTF8, .fieldCount, .quotes, .empty, .unknownKind, .notAnItem: .damaged
        case .tooLarge, .encrypted, .locked, .repeated, .ownGroup: .refused
        case .keychain(let error): error.exitStatus
        }
    }
}
