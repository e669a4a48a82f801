import MildamMLS
import MildamStorage

/// Why a group was not changed.
public enum GroupStoreError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The group does not allow it.
    case refused(MLSError)
    /// The change could not be stored.
    case notStored(StorageError)

    /// What happened.
    public var description: String {
        switch self {
        case .refused(let error): "the group refuses this: \(error)"
        case .notStored(let error): error.description
        }
    }
}
