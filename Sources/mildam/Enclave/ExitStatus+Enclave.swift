import MildamCrypto
import MildamEnclave
import MildamFiles
import MildamKeychain
import MildamTerminal

extension ExitStatus {
    init(_ error: EnclaveError) {
        self =
            switch error {
            case .absent(_, .missing): .notFound
            case .absent(_, .notPermitted): .refused
            case .invalidAddress, .pinLength, .pinUnexpected, .pinRequired: .usage
            case .wrongPIN, .wrongCounterAuthorization: .wrongSecret
            case .damagedBlob, .forgedAnswer: .damaged
            case .lockedOut, .otherTPM, .tpmCleared, .wrongPurpose, .wrongKind, .slotsTaken, .ownerPasswordSet,
                .indexTaken:
                .refused
            case .noCounter: .notFound
            case .system(let error): ExitStatus(error)
            case .absent(_, .noAnswer), .unsupported, .cancelled, .tpm: .failed
            }
    }

    init(_ error: EnclaveKeyError) {
        self =
            switch error {
            case .noKey: .notFound
            case .nameTaken, .ambiguous: .refused
            case .invalidName: .usage
            case .unusable(_, let error): ExitStatus(error)
            case .keychain(let error): ExitStatus(error)
            }
    }

    init(_ error: ECIESError) {
        self =
            switch error {
            case .tooShort: .damaged
            case .authenticationFailure, .invalidPoint: .wrongSecret
            case .tooLong, .incorrectSharedSecretSize, .cryptography: .failed
            }
    }

    init(_ error: ECKeyError) {
        self =
            switch error {
            case .publicKey, .privateKey, .encrypted: .refused
            case .malformed, .unknown, .tooLarge: .damaged
            case .io(let error): ExitStatus(error)
            }
    }
}
