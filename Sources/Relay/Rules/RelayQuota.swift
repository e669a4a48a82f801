/// How much of the disk a room, an account and a device may take.
public struct RelayQuota: Sendable {
    /// The messages of a room together, in bytes.
    public var roomBytes = 4_000_000_000
    /// The blobs that an account uploads, all rooms together, in bytes. What was begun counts whole.
    public var accountBlobBytes = 64_000_000_000
    /// The blobs that an account uploads, all rooms together.
    public var accountBlobs = 100_000
    /// The rooms that an account makes.
    public var accountRooms = 10_000
    /// What waits in a device's mailbox.
    public var mailboxItems = 10_000

    /// The defaults.
    public init() {}
}
