/// The sizes that client and relay agree on, in bytes unless said otherwise.
public enum Limits {
    /// A message's opaque bytes.
    public static let message = 1 << 18
    /// A key envelope, as it lies in mailboxes from before rooms were groups.
    public static let envelope = 1 << 17
    /// One piece of a blob.
    public static let blobPiece = 1 << 20
    /// A blob as a whole.
    public static let blob = 1 << 32
    /// How many messages one read returns at most.
    public static let page = 500
    /// How many bytes of messages one read returns at most, unless one alone is larger. Whoever reads next waits for as long as
    /// this takes.
    public static let pageBytes = 1 << 18
    /// A JSON body that brings an account's records.
    public static let accountBody = 1 << 16
    /// Any other JSON body, and whatever comes without an access token.
    public static let shortBody = 1 << 14
    /// The links that one commit shows: one for each account that it brings in.
    public static let shownLinks = 100
    /// How many standings one answer holds.
    public static let standings = 200
    /// The secret of a link.
    public static let linkSecret = 32
    /// A GroupInfo.
    public static let groupInfo = 1 << 17
    /// How many GroupInfos of one epoch are kept: those whose keys differ.
    public static let groupInfos = 4
    /// SHA-256 of something.
    public static let digest = 32
    /// A proposal that stands alone: several times a SelfRemove.
    public static let proposal = 1 << 11
    /// How many proposals wait for a commit: no more than a room has accounts.
    public static let proposals = 1000
    /// A Welcome, as its sender gives it or as one device gets it.
    public static let welcome = 1 << 18
    /// The Welcomes of one commit, each device's as it gets it, together.
    public static let welcomes = 8 << 20
    /// The ratchet tree of a group that begins.
    public static let firstTree = 1 << 16
    /// A body that brings what MLS groups are made of.
    public static let groupBody = 1 << 20
    /// A body that brings one GroupInfo.
    public static let groupInfoBody = groupInfo + (1 << 10)
    /// The highest epoch that can be asked for: what JSON counts to exactly.
    public static let epoch = 1 << 53 - 1
    /// A key package.
    public static let keyPackage = 1 << 13
    /// The key packages of one upload, one of last resort among them.
    public static let keyPackages = 101
    /// The blobs that one message tells of.
    public static let namedBlobs = 64
    /// The gaps that one page of a log names.
    public static let lostRanges = 500
    /// The devices of an account.
    public static let accountDevices = 64
    /// The accounts of one query.
    public static let queriedAccounts = 100
    /// How long a link may be open, in seconds: a year.
    public static let linkLifetime: Int64 = 366 * 86_400
}
