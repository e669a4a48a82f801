/// How large rooms and what changes them may be (H38). The relay and every client hold a commit against them.
public enum RoomLimits {
    /// The leaves of a room.
    public static let leaves = 2000
    /// The accounts of a room, those with a seat alone among them.
    public static let accounts = 1000
    /// The Adds of one commit.
    public static let adds = 100
    /// The leaves of one account.
    public static let devices = 10
    /// The reason of a commit, in bytes.
    public static let reason = 1 << 14
    /// A commit, in bytes.
    public static let commit = 1 << 18
    /// A GroupInfo, in bytes.
    public static let groupInfo = 1 << 17
    /// The whole lifetime of a key package, in seconds: 30 days (H23), and three before them for clocks that are behind.
    public static let keyPackageLifetime: UInt64 = 33 * 86_400
    /// A leaf, in bytes: as many as there may be make a tree that is within ``tree``, with the nodes above them.
    public static let leaf = 1536
    /// A ratchet tree, in bytes.
    public static let tree = 1 << 22
}
