import Glibc

/// A lock between processes: at most one holder of the file at a time, freed by the kernel when it ends.
public struct ProcessLock: ~Copyable, Sendable {
    private let file: Descriptor

    /// Takes the lock at once.
    ///
    /// - Parameter path: a file that exists for this lock only; created with permissions 0600. A link is not followed. Who
    ///   holds the lock may remove it.
    /// - Returns: `nil` when another process (or another owner in this one) holds it, or has removed it just now.
    public init?(taking path: String) throws(SystemError) {
        try self.init(path, LOCK_EX | LOCK_NB)
    }

    /// Takes the lock, waiting for whoever holds it.
    public init(waitingFor path: String) throws(SystemError) {
        self = try Self.waited(for: path)
    }

    private static func waited(for path: String) throws(SystemError) -> ProcessLock {
        while true {
            if let lock = try ProcessLock(path, LOCK_EX) { return lock }
        }
    }

    private init?(_ path: String, _ operation: Int32) throws(SystemError) {
        let file = try Descriptor.open(path, O_RDWR | O_CREAT | O_NOFOLLOW)
        let number = file.number
        if retryingOnInterrupt({ flock(number, operation) }) != 0 {
            guard errno == EWOULDBLOCK else { throw .last("lock", path) }
            return nil
        }
        // Others would lock another file of this name.
        guard try FileIdentity(path) == file.identity(path: path) else { return nil }
        self.file = file
    }
}
