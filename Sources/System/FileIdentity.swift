import Glibc

/// Which file it is, whatever it is called.
public struct FileIdentity: Hashable, Sendable {
    private let device: UInt64
    private let number: UInt64

    /// What a path names, a link itself; `nil` where nothing is.
    public init?(_ path: String) {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { return nil }
        device = UInt64(status.st_dev)
        number = UInt64(status.st_ino)
    }
}
