import MildamFiles
import MildamStorage
import MildamSystem
import MildamTerminal
import MildamVault

extension VaultError: EndsWithStatus {
    /// The status of `mildam`.
    public var exitStatus: ExitStatus {
        switch self {
        case .noVault, .noEntry, .noVersion: .notFound
        case .keysDoNotOpen, .notRewritten: .wrongSecret
        case .fileMissing, .strayFile: .damaged
        case .notRekeyed(_, let error, _): error.exitStatus
        case .folderTaken, .nameTaken, .movedIntoItself, .notAFile: .refused
        case .invalidName, .invalidTag, .invalidRecipient, .tooManyRecipients, .recipientsTooLarge: .usage
        case .file(_, let error): error.exitStatus
        case .storeFile(_, let error): error.exitStatus
        case .storeTable, .storeRow: .damaged
        case .indexDamaged: .damaged
        case .unknownFiles: .refused
        case .storage(let error): error.exitStatus
        case .io(let error): error.exitStatus
        case .sourceChanged, .cancelled: .failed
        }
    }
}
