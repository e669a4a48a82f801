/// Blobs of rooms, in pieces.
extension Routes {
    /// How far a blob has come.
    public static let blob = Route(
        .get,
        "/v1/rooms/{room}/blobs/{blob}",
        BlobPlace.self,
        answer: .json(BlobState.self),
        refusals: [.notAMember, .unknownRoom, .unknownBlob]
    )

    /// Upload a blob's next piece: the whole blob's size, where the piece begins, and the piece.
    public static let putPiece = Route(
        .put,
        "/v1/rooms/{room}/blobs/{blob}",
        BlobPlace.self,
        query: .numbers("size", in: 1...Limits.blob, "offset", in: 0...Limits.blob),
        body: .bytes(atMost: Limits.blobPiece),
        answer: .json(BlobState.self),
        refusals: [.notAMember, .unknownRoom, .wrongOffset, .quotaExceeded, .storageFull]
    )

    /// A range of a whole blob: where it begins, and how many bytes.
    public static let blobContent = Route(
        .get,
        "/v1/rooms/{room}/blobs/{blob}/content",
        BlobPlace.self,
        query: .numbers("offset", in: 0...Limits.blob, "length", in: 1...Limits.blobPiece),
        answer: .bytes,
        refusals: [.notAMember, .unknownRoom, .unknownBlob]
    )
}
