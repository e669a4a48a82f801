import Glibc

/// How a file stood when its content was looked at, so that it need not be read again while it stands so.
struct SyncStamp: Equatable, Sendable {
    /// Its size in bytes.
    let size: Int
    /// When its content was last changed, in nanoseconds since 1970.
    let modified: Int64
    /// When anything about it was last changed (`st_ctime`), in nanoseconds since 1970. Nobody can set it back.
    let changed: Int64

    init(size: Int, modified: Int64, changed: Int64) {
        self.size = size
        self.modified = modified
        self.changed = changed
    }

    /// What the system says of a file.
    init(_ status: stat) {
        size = Int(status.st_size)
        modified = Self.nanoseconds(status.st_mtim)
        changed = Self.nanoseconds(status.st_ctim)
    }

    /// Wraps in the year 2262: stamps are only compared.
    private static func nanoseconds(_ time: timespec) -> Int64 {
        Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }
}

/// What the last synchronisation knew of a file: its content, the same in the folder and in the vault.
struct SyncRecord: Equatable, Sendable {
    /// The content's SHA-256, 32 bytes.
    let digest: [UInt8]
    /// How the folder's file stood; `nil` where it had changed so shortly before that another change might not show.
    let stamp: SyncStamp?
}
