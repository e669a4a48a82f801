/// How much of the disk a room, an account and a device may take.
public struct RelayQuota: Sendable {
    /// The messages of a room together, in bytes.
    public var roomBytes = 4_000_000_000
    /// What an account causes, all rooms and mailboxes together, in bytes. Files that were begun count whole; each row counts
    /// 256 bytes beside its content.
    public var accountBytes = 64_000_000_000
    /// What all accounts cause together that were made from one network while anybody could make one, in bytes; counted in
    /// pieces of 1 MiB for each account.
    public var networkBytes = 256_000_000_000
    /// The blobs that an account uploads, all rooms together.
    public var accountBlobs = 100_000
    /// The rooms that an account makes.
    public var accountRooms = 10_000
    /// What waits in the part of a device's mailbox for known senders.
    public var mailboxItems = 10_000
    /// What one account has there.
    public var senderItems = 1_000
    /// The bytes of that.
    public var senderBytes = 16 << 20
    /// What waits in the strangers' part.
    public var requestItems = 200
    /// The bytes of that.
    public var requestBytes = 2 << 20
    /// What one account has there.
    public var senderRequests = 8
    /// The bytes of that.
    public var senderRequestBytes = 512 << 10
    /// The full strangers' parts in which one change has items give way: which ones, is looked for among all that a part has.
    public var fullParts = 20
    /// What an account says of others.
    public var standings = 10_000
    /// The links of an account that are open.
    public var links = 100
    /// The members of a room: each send needs all of them.
    public var roomMembers = 1_000

    /// The most that a number of bytes in here may be: 1 EiB, to which something can be added.
    public static let maximumBytes = 1 << 60

    /// The defaults.
    public init() {}

    /// What lies above an account's bytes for putting others out, renewing keys and blocking alone: nobody is kept from those
    /// by what they said before, and nobody fills the disk with them.
    var accountReserve: Int { Self.reserve(of: accountBytes) }

    static func reserve(of bytes: Int) -> Int { bytes / 16 + (1 << 20) }
}
