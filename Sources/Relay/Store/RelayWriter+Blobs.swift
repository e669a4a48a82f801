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
            try database.execute(
                """
                INSERT INTO blobs (room, blob, account, size, received, number) VALUES (?, ?, ?, ?, ?, ?)
                ON CONFLICT (room, blob) DO UPDATE SET received = excluded.received, number = excluded.number
                """,
                piece.room.column,
                piece.blob.column,
                sender.column,
                state.size,
                state.received,
                Int64(lookup: room?.next ?? 0)
            )
            return .success(state)
        }
    }
}
