import Glibc

/// A call to the operating system that failed: what was tried, on what, and why.
public struct SystemError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What was being done, as a verb phrase: "write", "open for reading".
    public let operation: String
    /// The file or address it was done to, when there is one.
    public let subject: String?
    /// The `errno` value.
    public let code: Int32
    /// What is not trusted, when that is why; `code` is `EACCES` then.
    public let distrust: UntrustedPlace?

    /// Makes an error from its parts.
    public init(_ operation: String, _ subject: String? = nil, code: Int32) {
        self.operation = operation
        self.subject = subject
        self.code = code
        distrust = nil
    }

    /// Says that a place is not trusted.
    package init(_ place: UntrustedPlace) {
        operation = "trust"
        subject = place.path
        code = EACCES
        distrust = place
    }

    /// Makes an error from the calling thread's current `errno`.
    public static func last(_ operation: String, _ subject: String? = nil) -> SystemError {
        SystemError(operation, subject, code: errno)
    }

    /// Whether the disk, or this user's share of it, is full.
    public var isOutOfSpace: Bool { code == ENOSPC || code == EDQUOT || code == EFBIG }

    /// What a person can do about it; `nil` where the cause is all that can be said.
    public var remedy: String? {
        if let distrust { return distrust.remedy }
        return switch code {
        case ENOSPC, EDQUOT: "make room on the disk and try again"
        case EROFS: "the disk is mounted for reading only: have it mounted for writing, or name another place"
        case EACCES, EPERM:
            path.map {
                "see whose each folder on the way is, and what its permissions are: namei -l \(ShellWord.quoted($0))"
            }
        case EMFILE: "a program may open no more files: raise what `ulimit -n` shows"
        default: nil
        }
    }

    /// The subject, where it is the path of a file.
    private var path: String? {
        guard let subject, operation == "open" || subject.utf8.contains(UInt8(ascii: "/")) else { return nil }
        return subject
    }

    /// "cannot write /path: No space left on device; make room on the disk and try again".
    public var description: String {
        if let distrust { return distrust.description }
        let reason = unsafe strerror(code).map { unsafe String(cString: $0) } ?? "error \(code)"
        let what = subject.map { "cannot \(operation) \($0): \(reason)" } ?? "cannot \(operation): \(reason)"
        return remedy.map { "\(what); \($0)" } ?? what
    }
}
