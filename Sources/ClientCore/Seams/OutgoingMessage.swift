import MildamIdentity

/// A message as the relay is to take it: again and again the same bytes under the same id.
public struct OutgoingMessage: Hashable, Sendable {
    /// The id; a room has each once.
    public let id: MessageID
    /// What it carries.
    public let kind: NumberedMessage.Kind
    /// The group that it is for.
    public let generation: UInt64
    /// The epoch that it was made in.
    public let epoch: UInt64
    /// An MLSMessage.
    public let body: [UInt8]
    /// With a commit: the GroupInfo of the epoch that it leads to, as an MLSMessage.
    public let groupInfo: [UInt8]?
    /// With a commit by which somebody comes in: their Welcome, as an MLSMessage.
    public let welcome: [UInt8]?
    /// The blobs that it tells of (H32).
    public let blobs: [BlobID]

    /// A message.
    public init(
        id: MessageID,
        kind: NumberedMessage.Kind,
        generation: UInt64,
        epoch: UInt64,
        body: [UInt8],
        groupInfo: [UInt8]? = nil,
        welcome: [UInt8]? = nil,
        blobs: [BlobID] = []
    ) {
        self.id = id
        self.kind = kind
        self.generation = generation
        self.epoch = epoch
        self.body = body
        self.groupInfo = groupInfo
        self.welcome = welcome
        self.blobs = blobs
    }
}
