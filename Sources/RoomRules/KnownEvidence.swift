import MildamCrypto
import MildamIdentity

/// What the evidence of a commit proves about one account, held against the identity that the room knows of it (H8).
struct KnownEvidence {
    /// The identities that count for it: the known one, and those that it proves to follow.
    let identities: [RoomIdentity]
    /// The newest of its device lists that one of them signed.
    let list: DeviceList?
    /// Whether its identity closed it, or one of its devices said that it leaves this room.
    let isLeaving: Bool

    /// - Parameters:
    ///   - known: its identity in the room.
    ///   - leaves: its leaves in the room, which commit to the identity that follows.
    init(
        _ evidence: [Evidence],
        about account: AccountID,
        known: RoomIdentity,
        leaves: [RoomLeaf],
        in room: RoomExtension
    ) {
        let identities = KnownEvidence.identities(evidence, about: account, from: known, leaves)
        self.identities = identities
        let keys = identities.map(\.key)
        let list = KnownEvidence.newestList(evidence, of: account, under: keys)
        self.list = list
        isLeaving = evidence.contains { (piece) -> Bool in
            switch piece {
            case .closing(let closing):
                closing.claimed.account == account
                    && keys.contains { (try? closing.verified(under: $0)) != nil }
            case .leaving(let leaving, let device):
                leaving.claimed == Leaving(room: room.room, generation: room.generation, account: account)
                    && KnownEvidence.signers(device, of: account, under: keys, on: list, leaves)
                        .contains { (try? leaving.verified(under: $0)) != nil }
            case .deviceList, .succession, .repair: false
            }
        }
    }

    /// Whether a list names a leaf's record.
    func names(_ leaf: RoomLeaf) -> Bool {
        list?.entries.contains { $0.device == leaf.device && $0.recordDigest == leaf.recordDigest } ?? false
    }

    /// Whether a list, as new as the leaf's record at least, no longer names that.
    func revokes(_ leaf: RoomLeaf) -> Bool {
        guard let list else { return false }
        return list.number >= leaf.since && !names(leaf)
    }

    /// The known identity, and those that follow it: each key is known by what was said of it under the one before.
    private static func identities(
        _ evidence: [Evidence],
        about account: AccountID,
        from known: RoomIdentity,
        _ leaves: [RoomLeaf]
    ) -> [RoomIdentity] {
        var identities = [known]
        var newest = known
        // Who has a seat alone is known by its key: what that commits to stands in its own record.
        var commitments = Set(leaves.filter { $0.identity == known }.map(\.nextIdentity))
        for case .succession(let records) in evidence {
            for signed in records where signed.claimed.account == account {
                guard let record = try? signed.verified(under: signed.claimed.identityKey),
                    let next = record.nextIdentity
                else { break }
                if commitments.isEmpty, record.identityKey == newest.key {
                    commitments = [next]
                    continue
                }
                guard commitments.contains(IdentitySuccession.commitment(to: record.identityKey)),
                    newest.rotation < .max
                else { break }
                newest = RoomIdentity(key: record.identityKey, rotation: newest.rotation + 1)
                identities.append(newest)
                commitments = [next]
            }
        }
        return identities
    }

    private static func newestList(
        _ evidence: [Evidence],
        of account: AccountID,
        under keys: [Curve25519.Signing.PublicKey]
    ) -> DeviceList? {
        var newest: DeviceList?
        for case .deviceList(let signed) in evidence where signed.claimed.account == account {
            guard signed.claimed.number > newest?.number ?? 0 else { continue }
            guard let list = keys.lazy.compactMap({ try? signed.verified(under: $0) }).first else { continue }
            newest = list
        }
        return newest
    }

    /// The keys of devices that speak for an account: those with a leaf, and one that is shown, with a list that names it.
    private static func signers(
        _ shown: DeviceCredential?,
        of account: AccountID,
        under keys: [Curve25519.Signing.PublicKey],
        on list: DeviceList?,
        _ leaves: [RoomLeaf]
    ) -> [Curve25519.Signing.PublicKey] {
        let own = leaves.map(\.signatureKey)
        guard let record = keys.lazy.compactMap({ try? shown?.record.verified(under: $0) }).first,
            record.account == account,
            list?.entries.contains(where: { $0.device == record.device && $0.recordDigest == record.digest }) ?? false
        else { return own }
        return own + [record.signatureKey]
    }
}
