import Glibc
import MildamSystem

extension SystemError: EndsWithStatus {
    /// `.notFound` for what is not there; `.refused` for what is in the way, and for what the permissions, the owners or the
    /// file system do not allow; `.failed` for everything else, such as a full disk.
    public var exitStatus: ExitStatus {
        if distrust != nil { return .refused }
        return switch code {
        case ENOENT, ENXIO, ENODEV: .notFound
        case EEXIST, ENOTEMPTY, EISDIR, ENOTDIR, ELOOP: .refused
        case EACCES, EPERM, EROFS: .refused
        default: .failed
        }
    }
}

extension PromptError: EndsWithStatus {
    /// `.refused` where nobody can be asked, or gave no answer that is taken.
    public var exitStatus: ExitStatus {
        switch self {
        case .noTerminal, .ended, .tooLong: .refused
        case .system(let error): error.exitStatus
        case .interrupted: .failed
        }
    }
}

extension UsageError: EndsWithStatus {
    /// `.usage`.
    public var exitStatus: ExitStatus { .usage }
}
