import MildamEnclave
import MildamTerminal

extension EnclaveError: EndsWithStatus {
    /// The status of `mildam`.
    public var exitStatus: ExitStatus {
        switch self {
        case .absent(_, .missing): .notFound
        case .absent(_, .notPermitted): .refused
        case .invalidAddress, .pinLength, .pinUnexpected, .pinRequired: .usage
        case .wrongPIN, .wrongCounterAuthorization: .wrongSecret
        case .damagedBlob, .forgedAnswer: .damaged
        case .lockedOut, .otherTPM, .tpmCleared, .wrongPurpose, .wrongKind, .slotsTaken, .ownerPasswordSet, .indexTaken:
            .refused
        case .noCounter: .notFound
        case .system(let error): error.exitStatus
        case .absent(_, .noAnswer), .unsupported, .cancelled, .tpm: .failed
        }
    }
}
