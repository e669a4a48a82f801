import MildamIdentity
import MildamRelayAPI
import MildamStorage

extension Database {
    /// How far a blob has come, and whose it is; `nil` when nothing of it was received.
    func blob(_ blob: BlobID, in room: RoomID) throws(StorageError) -> (owner: AccountID, state: BlobState)? {
        try first(
            "SELECT account, size, received FROM blobs WHERE room = ? AND blob = ?",
            room.column,
            blob.column
        ) { row throws(StorageError) in
            (try row.identifier(0), BlobState(blob: blob, size: try row.int(1), received: try row.int(2)))
        }
    }
}

extension RelayWriter {
    /// Records that a piece is on the disk. Membership and offset are looked at again: both may have changed since.
    func record(
        _ piece: BlobPiece,
        by sender: AccountID
    ) throws(StorageError) -> Result<BlobState, APIError> {
        switch BlobRules.judge(
            piece,
            by: sender,
            in: try room(piece.room),
            against: try database.blob(piece.blob, in: piece.room)
        )
        {
        case .failure(let refusal):
            return .failure(refusal)
        case .success(let state):
            try database.execute(
                """
                INSERT INTO blobs (room, blob, account, size, received) VALUES (?, ?, ?, ?, ?)
                ON CONFLICT (room, blob) DO UPDATE SET received = excluded.received
                """,
                piece.room.column,
                piece.blob.column,
                sender.column,
                state.size,
                state.received
            )
            return .success(state)
        }
    }
}
