import MildamIdentity
import MildamRelayAPI
import MildamStorage

extension Database {
    /// What is recorded of a blob; `nil` when nothing of it was received.
    func blob(_ blob: BlobID, in room: RoomID) throws(StorageError) -> KnownBlob? {
        try first(
            "SELECT account, size, received, number FROM blobs WHERE room = ? AND blob = ?",
            room.column,
            blob.column
        ) { row throws(StorageError) in
            KnownBlob(
                owner: try row.identifier(0),
                state: BlobState(blob: blob, size: try row.int(1), received: try row.int(2)),
                number: try row.count(3)
            )
        }
    }
}

extension RelayWriter {
    /// Records that a piece is on the disk. Membership and offset are looked at again: both may have changed since.
    func record(
        _ piece: BlobPiece,
        by sender: AccountID
    ) throws(StorageError) -> Result<BlobState, APIError> {
        let room = try room(piece.room)
        switch BlobRules.judge(
            piece,
            by: sender,
            in: room,
            against: try database.blob(piece.blob, in: piece.room)
        )
        {
        case .failure(let refusal):
            return .failure(refusal)
        case .success(let state):
            if piece.offset == 0, try !fits(piece, by: sender) {
                return .failure(APIError(.quotaExceeded, "this account has uploaded all that it may"))
            }
            try database.execute(
                """
                INSERT INTO blobs (room, blob, account, size, received, number, stored) VALUES (?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT (room, blob) DO UPDATE
                SET received = excluded.received, number = excluded.number, stored = excluded.stored
                """,
                piece.room.column,
                piece.blob.column,
                sender.column,
                state.size,
                state.received,
                Int64(lookup: room?.next ?? 0),
                now
            )
            return .success(state)
        }
    }

    /// Whether the account may have one more blob of this size.
    private func fits(_ piece: BlobPiece, by account: AccountID) throws(StorageError) -> Bool {
        let taken: (count: Int, bytes: Int)? = try database.first(
            "SELECT count(*), coalesce(sum(size), 0) FROM blobs WHERE account = ?",
            account.column
        ) { row throws(StorageError) in (try row.int(0), try row.int(1)) }
        guard let taken else { return true }
        return taken.count < quota.accountBlobs && taken.bytes <= quota.accountBlobBytes - piece.size
    }
}
