/// The sizes that client and relay agree on, in bytes unless said otherwise.
public enum Limits {
    /// A message's opaque bytes.
    public static let message = 1 << 18
    /// A key envelope's bytes.
    public static let envelope = 1 << 17
    /// How many envelopes one change of members can bring.
    public static let envelopes = 1000
    /// One piece of a blob.
    public static let blobPiece = 1 << 20
    /// A blob as a whole.
    public static let blob = 1 << 32
    /// How many messages one read returns at most.
    public static let page = 500
    /// How many bytes of messages one read returns at most, unless one alone is larger. Whoever reads next waits for as long as
    /// this takes.
    public static let pageBytes = 1 << 18
    /// A JSON body that brings a message.
    public static let body = 4 << 20
    /// A JSON body that brings an account's records.
    public static let accountBody = 1 << 16
    /// Any other JSON body, and whatever comes without an access token.
    public static let shortBody = 1 << 14
    /// The accounts that one change of members adds or removes.
    public static let changedMembers = 100
    /// How many standings one answer holds.
    public static let standings = 200
    /// The secret of a link.
    public static let linkSecret = 32
    /// How long a link may be open, in seconds: a year.
    public static let linkLifetime: Int64 = 366 * 86_400
}
