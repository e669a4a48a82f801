import MildamCrypto
import MildamIdentity

/// What the evidence of a commit proves about one account, held against the identity that the room knows of it (H8).
///
/// Of each kind of evidence the first piece about the account counts. Every signature costs those who check it time, and a
/// reason has room for a hundred.
struct KnownEvidence {
    /// The identities that count for it: the known one, and those that are proven to follow it.
    let identities: [RoomIdentity]
    /// Its device list, signed by one of them.
    let list: DeviceList?
    /// How new that is.
    let version: ListVersion?
    /// Whether its identity closed it.
    let isClosed: Bool
    /// The epoch in which one of its devices said that it leaves this room; `nil` where none did, or where it counted before.
    let leavingEpoch: UInt64?

    /// Whether the account may be put out by anybody.
    var isLeaving: Bool { isClosed || leavingEpoch != nil }

    /// - Parameters:
    ///   - known: its identity in the room.
    ///   - leaves: its leaves in the room.
    init(
        _ evidence: [Evidence],
        about account: AccountID,
        known: RoomIdentity,
        leaves: [RoomLeaf],
        in room: RoomExtension
    ) {
        let claims = ClaimedEvidence(evidence, about: account)
        let identities = KnownEvidence.identities(claims.records, from: known)
        self.identities = identities
        // The newest identity is the likeliest to have signed.
        let signer = claims.list.flatMap { signed in
            identities.reversed().first { (try? signed.verified(under: $0.key)) != nil }
        }
        let list = signer == nil ? nil : claims.list?.claimed
        self.list = list
        version = signer.flatMap { signer in
            list.map { ListVersion(rotation: signer.rotation, number: $0.number) }
        }
        isClosed = claims.closing.map { KnownEvidence.isSigned($0, by: identities.map(\.key)) } ?? false
        let signers = KnownEvidence.signers(claims.device, of: account, under: identities, on: list, leaves)
        leavingEpoch = claims.leaving.flatMap { leaving in
            let (said, counted) = (leaving.claimed, room.leavings[account])
            let isNew = counted.map { said.epoch > $0 } ?? true
            guard said.room == room.room, said.generation == room.generation, isNew else { return nil }
            return KnownEvidence.isSigned(leaving, by: signers) ? said.epoch : nil
        }
    }

    /// Whether a list names a leaf's record.
    func names(_ leaf: RoomLeaf) -> Bool {
        list?.entries.contains { $0.device == leaf.device && $0.recordDigest == leaf.recordDigest } ?? false
    }

    /// Whether a list is as new as a leaf's record at least.
    func follows(_ leaf: RoomLeaf) -> Bool {
        version.map { $0 >= ListVersion(rotation: leaf.identity.rotation, number: leaf.since) } ?? false
    }

    /// Whether a list, as new as the leaf's record at least, no longer names that.
    func revokes(_ leaf: RoomLeaf) -> Bool { follows(leaf) && !names(leaf) }

    /// The known identity, and those that follow it, each committed to by the one before.
    private static func identities(_ records: [Signed<AccountRecord>], from known: RoomIdentity) -> [RoomIdentity] {
        var identities = [known]
        var newest = known
        for record in records {
            guard let next = newest.successor(by: record) else { break }
            identities.append(next)
            newest = next
        }
        return identities
    }

    private static func isSigned<Content>(
        _ signed: Signed<Content>,
        by keys: [Curve25519.Signing.PublicKey]
    ) -> Bool {
        keys.contains { (try? signed.verified(under: $0)) != nil }
    }

    /// The keys of devices that speak for an account: those with a leaf, and one that is shown, with a list that names it.
    private static func signers(
        _ shown: DeviceCredential?,
        of account: AccountID,
        under identities: [RoomIdentity],
        on list: DeviceList?,
        _ leaves: [RoomLeaf]
    ) -> [Curve25519.Signing.PublicKey] {
        let own = leaves.map(\.signatureKey)
        guard let shown, let list, shown.record.claimed.account == account,
            isSigned(shown.record, by: identities.map(\.key))
        else { return own }
        let record = shown.record.claimed
        let isListed = list.entries.contains { $0.device == record.device && $0.recordDigest == record.digest }
        return isListed ? own + [record.signatureKey] : own
    }
}
