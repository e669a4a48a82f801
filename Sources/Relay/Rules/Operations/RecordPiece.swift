import MildamIdentity
import MildamRelayAPI

/// Records that a piece of a blob is on the disk. Membership and offset are looked at again: both may have changed since.
struct RecordPiece: StoreOperation {
    let piece: BlobPiece
    let sender: AccountID

    private var name: BlobName { BlobName(room: piece.room, blob: piece.blob) }

    var prefetch: [FactKey] { [.room(piece.room), .blob(name)] }

    func judge(_ facts: inout Facts, at now: Int64) throws(Missing) -> Result<BlobState, APIError> {
        let room = try facts.room(piece.room)
        let known = try facts.blob(name)
        switch BlobRules.judge(piece, by: sender, in: room, against: known) {
        case .failure(let refusal):
            return .failure(refusal)
        case .success(let state):
            if known == nil {
                var share = try facts.uploads(of: sender)
                guard share.count < facts.quota.accountBlobs,
                    share.bytes <= facts.quota.accountBlobBytes - piece.size
                else { return .failure(APIError(.quotaExceeded, "this account has uploaded all that it may")) }
                share.count += 1
                share.bytes += piece.size
                facts.set(share, of: sender)
            }
            facts.put(KnownBlob(owner: sender, state: state, number: room?.next ?? 0), named: name, at: now)
            return .success(state)
        }
    }
}
