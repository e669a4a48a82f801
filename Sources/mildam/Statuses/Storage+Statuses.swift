import MildamStorage
import MildamSystem
import MildamTerminal

extension StorageError: EndsWithStatus {
    /// The status of `mildam`.
    public var exitStatus: ExitStatus {
        switch self {
        case .damaged, .notOurs: .damaged
        case .newerVersion, .locked, .busy, .readOnly: .refused
        case .io(let error): error.exitStatus
        case .full, .constraint, .misuse: .failed
        }
    }
}
