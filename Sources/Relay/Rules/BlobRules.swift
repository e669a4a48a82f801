import MildamIdentity
import MildamRelayAPI

/// A piece of a blob, without its bytes.
struct BlobPiece: Sendable {
    /// The room that the blob belongs to.
    let room: RoomID
    /// The blob.
    let blob: BlobID
    /// The whole blob's size in bytes.
    let size: Int
    /// Where the piece begins.
    let offset: Int
    /// How many bytes it has.
    let count: Int
}

/// What is recorded of a blob.
struct KnownBlob: Sendable {
    /// Whose it is.
    let owner: AccountID
    /// How far it is.
    let state: BlobState
    /// The number behind the message that names it last, in a room that is an MLS group; 0 where none has. In rooms of before it is
    /// the one that the next message would have got when the last piece came.
    let number: UInt64

    /// Whether a member may have it: nobody's is for those who came, or came back, after it was there.
    ///
    /// - Parameter since: the first number that the member can read.
    func isReadable(by account: AccountID, since: UInt64) -> Bool {
        number > since || owner == account
    }
}

/// Which piece of a blob is taken.
enum BlobRules {
    /// How far the blob is once the piece is there, or why it is refused.
    ///
    /// - Parameter known: how far it is by now; `nil` before its first piece.
    static func judge(
        _ piece: BlobPiece,
        by sender: AccountID,
        in room: Room?,
        against known: KnownBlob?
    ) -> Result<BlobState, APIError> {
        guard let room else { return .failure(.unknownRoom) }
        guard room.members[sender] != nil else { return .failure(.notAMember) }
        guard room.group != nil else { return .failure(.noGroup) }
        return judge(piece, by: sender, against: known)
    }

    /// The same for a sender who is known to be a member.
    static func judge(
        _ piece: BlobPiece,
        by sender: AccountID,
        against known: KnownBlob?
    ) -> Result<BlobState, APIError> {
        let state = known?.state ?? BlobState(blob: piece.blob, size: piece.size, received: 0)
        if let known {
            guard known.owner == sender else {
                return .failure(APIError(.badRequest, "the blob's id is taken by another account's"))
            }
            guard known.state.size == piece.size else {
                return .failure(APIError(.badRequest, "size is not what the blob's first piece said"))
            }
        }
        guard piece.offset == state.received else {
            return .failure(
                APIError(
                    .wrongOffset,
                    "the piece does not begin where the last one ended",
                    number: UInt64(clamping: state.received)
                )
            )
        }
        guard piece.count <= state.size - state.received else {
            return .failure(APIError(.badRequest, "the piece goes beyond the blob's size"))
        }
        return .success(BlobState(blob: piece.blob, size: state.size, received: state.received + piece.count))
    }
}
