import Glibc

/// The room on the file system that a path lies on (`statvfs`).
public struct DiskRoom: Equatable, Sendable {
    /// Bytes that this user can still write; what the file system keeps for root is not among them. `Int.max` where it does
    /// not say how large it is.
    public let freeBytes: Int
    /// Bytes in all; 0 on a file system that does not say, such as one in memory without a limit.
    public let totalBytes: Int
    /// Files that this user can still make; `nil` on a file system that has no fixed number of them.
    public let freeFiles: Int?
    /// Whether it is mounted read-only.
    public let isReadOnly: Bool

    /// Asks the file system, which takes as long as it likes to answer. A user's quota shows only where the file system
    /// counts it in.
    ///
    /// - Parameter path: a file or folder that is there.
    /// - Throws: `SystemError` where it cannot be looked at.
    public init(at path: String) throws(SystemError) {
        var status = statvfs()
        guard retryingOnInterrupt({ unsafe statvfs(path, &status) }) == 0 else { throw .last("look at", path) }
        freeBytes = status.f_blocks == 0 ? .max : Self.bytes(status.f_bavail, of: status.f_frsize)
        totalBytes = Self.bytes(status.f_blocks, of: status.f_frsize)
        freeFiles = status.f_files == 0 ? nil : Int(clamping: status.f_favail)
        isReadOnly = status.f_flag & UInt(ST_RDONLY) != 0
    }

    /// What does not fit is as good as endless.
    private static func bytes(_ blocks: UInt, of size: UInt) -> Int {
        let (bytes, isTooMuch) = blocks.multipliedReportingOverflow(by: size)
        return isTooMuch ? .max : Int(clamping: bytes)
    }
}
