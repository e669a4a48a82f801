import MildamIdentity
import MildamRelayAPI
import MildamStorage

extension SQLiteReads {
    func blob(_ name: BlobName) throws(StorageError) -> KnownBlob? { try database.blob(name) }

    func blob(_ name: BlobName, for account: AccountID) throws(StorageError) -> Standing<MemberBlob> {
        try snapshot { () throws(StorageError) in
            switch try standing(of: account, in: name.room) {
            case .noRoom: .noRoom
            case .stranger: .stranger
            case .member(let since): .member(MemberBlob(since: since, blob: try database.blob(name)))
            }
        }
    }
}

extension Database {
    /// What is recorded of a blob; `nil` when nothing of it was received.
    func blob(_ name: BlobName) throws(StorageError) -> KnownBlob? {
        try first(
            "SELECT account, size, received, number FROM blobs WHERE room = ? AND blob = ?",
            name.room.column,
            name.blob.column
        ) { row throws(StorageError) in
            KnownBlob(
                owner: try row.identifier(0),
                state: BlobState(blob: name.blob, size: try row.int(1), received: try row.int(2)),
                number: try row.count(3)
            )
        }
    }
}
