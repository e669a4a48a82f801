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
    /// What waits in the part of a device's mailbox for known senders.
    public var mailboxItems = 10_000
    /// What one account has there, and its bytes.
    public var senderItems = 1_000
    public var senderBytes = 16 << 20
    /// What waits in the strangers' part, and its bytes.
    public var requestItems = 200
    public var requestBytes = 2 << 20
    /// What one account has there, and its bytes.
    public var senderRequests = 8
    public var senderRequestBytes = 512 << 10
    /// What an account says of others.
    public var standings = 10_000
    /// The links of an account that are open.
    public var links = 100

    /// The defaults.
    public init() {}
}
