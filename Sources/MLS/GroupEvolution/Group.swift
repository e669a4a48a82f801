import MildamCrypto

/// A member's view of a group (RFC 9420).
///
/// A value: whoever holds it decides when a change counts. What is received is processed to a new state, or refused and
/// nothing is changed. A commit of one's own is staged and waits until the delivery service has ordered it: then it is merged
/// or discarded.
///
/// One copy goes on; the others are thrown away, like states before a transaction. Two copies that both send would use one key
/// for two messages.
public struct Group: Sendable {
    /// What everybody knows of the group.
    public internal(set) var publicGroup: PublicGroup
    var epoch: Epoch
    var own: PrivateTree
    var signer: AnySigningKey
    /// What the group takes from outside; it may be exchanged at any time.
    public var environment: GroupEnvironment
    /// Of epochs that are over, the latest last.
    var pastEpochs: [PastEpoch] = []
    /// The resumption keys of the latest epochs, by epoch.
    var resumptionKeys: [UInt64: SymmetricKey]
    /// The private keys of leaves that were proposed and not committed yet.
    var proposedKeys: [HPKEPublicKey: ProposedKeys] = [:]
    /// The proposals of one's own in this epoch, as they were sent.
    var sentProposals: [MLSMessage: ProposalRef] = [:]
    /// A commit of one's own that has not been ordered yet.
    var staged: StagedCommit?
    /// What became of the group, where it cannot be used any more.
    public internal(set) var ending: Ending?

    /// Why a group cannot be used any more.
    public enum Ending: Hashable, Sendable {
        /// One was removed.
        case removed
        /// It is to be made anew as this.
        case reInitialized(ReInit)

        /// What the group is to be, where it is to be made anew.
        var reInit: ReInit? { if case .reInitialized(let reInit) = self { reInit } else { nil } }
    }

    init(
        _ publicGroup: PublicGroup,
        _ epoch: Epoch,
        _ own: PrivateTree,
        _ signer: AnySigningKey,
        _ environment: GroupEnvironment
    ) {
        self.publicGroup = publicGroup
        self.epoch = epoch
        self.own = own
        self.signer = signer
        self.environment = environment
        resumptionKeys = [publicGroup.context.epoch: epoch.secrets.resumptionPSK]
    }

    var suite: Suite { publicGroup.suite }

    /// One's own place.
    public var ownLeaf: LeafIndex { own.leaf }

    /// What all members of the epoch have alike, and nobody else (RFC 9420, section 8.7); empty for one who was removed.
    public var epochAuthenticator: [UInt8] {
        guard ending != .removed else { return [] }
        return unsafe epoch.secrets.epochAuthenticator.withUnsafeBytes { unsafe Array($0) }
    }

    /// A secret of the epoch for uses outside of MLS (RFC 9420, section 8.5).
    ///
    /// - Parameter outputByteCount: up to 255 times the hash's size; a larger one is a programmer's error.
    /// - Throws: `inactive` for one who was removed.
    public func export(
        label: String,
        context: [UInt8],
        outputByteCount: Int
    ) throws(MLSError) -> SymmetricKey {
        guard ending != .removed else { throw .inactive }
        return suite.export(epoch.secrets.exporter, label, context: context, size: outputByteCount)
    }

    /// The key of an epoch of this group, or what the environment has.
    ///
    /// - Throws: `missingPreSharedKey`.
    func presharedKeys(_ ids: [PreSharedKeyID]) throws(MLSError) -> [(id: PreSharedKeyID, key: SymmetricKey)] {
        var keys: [(id: PreSharedKeyID, key: SymmetricKey)] = []
        for id in ids {
            let key = resumptionKey(id.key) ?? environment.presharedKey(id.key)
            guard let key else { throw .missingPreSharedKey(id) }
            keys.append((id, key))
        }
        return keys
    }

    /// The key of an epoch of this group; the present one's is there, however few are kept.
    func resumptionKey(_ key: PreSharedKeyID.Key) -> SymmetricKey? {
        guard case .resumption(_, publicGroup.context.groupID, let epoch) = key, ending != .removed else { return nil }
        return epoch == publicGroup.context.epoch ? self.epoch.secrets.resumptionPSK : resumptionKeys[epoch]
    }
}
