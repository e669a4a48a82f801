import MildamIdentity
import MildamRelayAPI

/// Records that a piece of a blob is on the disk. Membership and offset are looked at again: both may have changed since.
struct RecordPiece: StoreOperation {
    let piece: BlobPiece
    let sender: AccountID

    private var name: BlobName { BlobName(room: piece.room, blob: piece.blob) }

    var prefetch: [FactKey] { [.room(piece.room), .blob(name), .usage(sender)] }

    func judge(_ facts: inout Facts, at now: Int64) throws(Missing) -> Result<BlobState, APIError> {
        let room = try facts.room(piece.room)
        let known = try facts.blob(name)
        switch BlobRules.judge(piece, by: sender, in: room, against: known) {
        case .failure(let refusal):
            return .failure(refusal)
        case .success(let state):
            if known == nil {
                let usage = try facts.usage(of: sender)
                guard usage.disk.blobs < facts.quota.accountBlobs else {
                    return .failure(APIError(.quotaExceeded, "this account has uploaded all of the files that it may"))
                }
                let needed = DiskUsage.blob(piece.size).bytes
                guard usage.disk.bytes + needed <= facts.quota.accountBytes else {
                    return .failure(.accountIsFull(facts.quota))
                }
                guard try facts.networkHolds(needed, for: usage) else { return .failure(.networkIsFull) }
            }
            // It is nobody else's before a message names it.
            let blob = KnownBlob(owner: sender, state: state, number: 0)
            facts.put(blob, replacing: known, named: name, at: now)
            return .success(state)
        }
    }
}
