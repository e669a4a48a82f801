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

/// What an account has uploaded, begun or whole.
struct BlobShare {
    /// How many blobs.
    var count: Int
    /// Their sizes.
    var bytes: Int

    /// Counts one more.
    mutating func add(_ size: Int) {
        count += 1
        bytes += size
    }
}

extension RelayWriter {
    /// Records that a piece is on the disk. Membership and offset are looked at again: both may have changed since.
    func record(
        _ piece: BlobPiece,
        by sender: AccountID
    ) throws(StorageError) -> Result<BlobState, APIError> {
        let room = try room(piece.room)
        let known = try database.blob(piece.blob, in: piece.room)
        switch BlobRules.judge(piece, by: sender, in: room, against: known) {
        case .failure(let refusal):
            return .failure(refusal)
        case .success(let state):
            if known == nil, try !fits(piece, by: sender) {
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
            if known == nil { blobShares[sender]?.add(piece.size) }
            return .success(state)
        }
    }

    /// Whether the account may have one more blob of this size.
    private func fits(_ piece: BlobPiece, by account: AccountID) throws(StorageError) -> Bool {
        let share = try share(of: account)
        return share.count < quota.accountBlobs && share.bytes <= quota.accountBlobBytes - piece.size
    }

    /// What an account has uploaded. Summed up once: who has many files must not make each new one dear to everybody.
    private func share(of account: AccountID) throws(StorageError) -> BlobShare {
        if let known = blobShares[account] { return known }
        let share = try database.first(
            "SELECT count(*), coalesce(sum(size), 0) FROM blobs WHERE account = ?",
            account.column
        ) { row throws(StorageError) in BlobShare(count: try row.int(0), bytes: try row.int(1)) }
        if blobShares.count >= Self.maximumShares { blobShares.removeAll(keepingCapacity: true) }
        blobShares[account] = share
        return share ?? BlobShare(count: 0, bytes: 0)
    }

    private static let maximumShares = 4096

    /// Deletes blobs; their files go once that is on the disk.
    func delete(_ blobs: [BlobID], of room: RoomID) throws(StorageError) {
        guard !blobs.isEmpty else { return }
        for blob in blobs {
            try database.execute("DELETE FROM blobs WHERE room = ? AND blob = ?", room.column, blob.column)
        }
        blobShares.removeAll()
        notices.append(.blobsDropped(room, blobs))
        hasDeleted = true
    }
}
