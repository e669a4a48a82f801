import MildamIdentity

/// How far a blob has come: the answer of `GET /v1/rooms/ROOM/blobs/BLOB` and to each piece.
///
/// A piece goes to `PUT /v1/rooms/ROOM/blobs/BLOB?size=TOTAL&offset=N` as plain bytes; the whole is read back by
/// `GET /v1/rooms/ROOM/blobs/BLOB/content?offset=N&length=M`.
public struct BlobState: Codable, Sendable, Equatable {
    /// The blob.
    public var blob: BlobID
    /// Its size in bytes when it is whole.
    public var size: Int
    /// How many bytes are on the relay's disk, from the start.
    public var received: Int

    /// Whether all of it is there.
    public var isWhole: Bool { received == size }

    /// Makes a state.
    public init(blob: BlobID, size: Int, received: Int) {
        self.blob = blob
        self.size = size
        self.received = received
    }
}
