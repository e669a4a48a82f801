import MildamCrypto
import MildamWire

/// A commit by which one joins a group from outside, and the group as it is once the commit was ordered (RFC 9420, section
/// 12.4.3.2).
public struct ExternalJoin: Sendable {
    /// For the members; a PublicMessage.
    public let commit: MLSMessage
    /// The group; it counts when the commit was ordered, and not before.
    public let group: Group

    /// Makes the commit.
    ///
    /// - Parameters:
    ///   - info: the group's state, with the key for joining from outside.
    ///   - ratchetTree: the tree as it is sent, where the GroupInfo does not bring it.
    ///   - bundle: whose leaf is taken over, with another key.
    ///   - old: an earlier appearance of one's own that goes with it.
    ///   - presharedKeys: keys that go into the key schedule.
    /// - Throws: an ``MLSError``; `missingExternalPub`.
    public init(
        _ info: GroupInfo,
        ratchetTree: [UInt8]? = nil,
        with bundle: KeyPackageBundle,
        replacing old: LeafIndex? = nil,
        presharedKeys: [PreSharedKeyID] = [],
        authenticatedData: [UInt8] = [],
        environment: GroupEnvironment
    ) throws(MLSError) {
        let suite = try Suite.of(bundle.keyPackage.cipherSuite)
        let nodes: RatchetTree.Nodes?
        let externalPub: HPKEPublicKey?
        do {
            nodes = try ratchetTree.map { (bytes) throws(WireError) in try RatchetTree.Nodes(wireBytes: bytes) }
            externalPub = try info.extensions.read(.externalPub, as: HPKEPublicKey.self)
        } catch {
            throw .malformed(error)
        }
        guard let externalPub else { throw .missingExternalPub }
        let group = try PublicGroup(info, nodes, suite, environment)
        let (kemOutput, initSecret) = try suite.sendInitSecret(to: externalPub)
        let proposals: [Proposal] =
            [.externalInit(kemOutput: kemOutput)] + presharedKeys.map(Proposal.preSharedKey)
            + (old.map { [.remove($0)] } ?? [])
        let resolved = proposals.map { ResolvedProposal(proposal: $0, sender: .newMemberCommit, reference: nil) }
        var evolution = try group.evolve(resolved, by: .newMember, sending: true, environment)
        let leaf = evolution.tree.firstBlankLeaf()
        let place = LeafPlace(group: group.context.groupID, leaf: leaf)
        let fresh = try evolution.tree.refreshPath(
            of: leaf,
            bundle.keyPackage.leafNode.content,
            environment.randomness
        ) { (content) throws(MLSError) in try suite.sign(content, at: place, by: bundle.signer) }
        evolution.changed.append(leaf)
        let predecessor = group.predecessor(of: .newMember, evolution)
        try group.leafCheck(evolution.extensions, environment, sending: true).check(
            fresh.leaf,
            at: leaf,
            from: .commit(of: predecessor)
        )
        let outcome = try group.finish(evolution, leaf, fresh.steps, environment)
        let commit = Commit(
            proposals: proposals.map(ProposalOrRef.proposal),
            path: try outcome.evolution.tree.encrypted(
                fresh,
                context: outcome.provisional.wireBytes,
                without: []
            )
        )
        var message = try suite.authenticate(
            FramedContent(
                groupID: group.context.groupID,
                epoch: group.context.epoch,
                sender: .newMemberCommit,
                authenticatedData: authenticatedData,
                body: .commit(commit)
            ),
            .publicMessage,
            context: group.contextBytes,
            by: bundle.signer
        )
        let following = group.following(message, outcome)
        let epoch = try Epoch.next(
            suite,
            initSecret: initSecret,
            commitSecret: fresh.secrets.commitSecret,
            presharedSecret: suite.presharedSecret(Group.presharedKeys(presharedKeys, environment)),
            following
        ).epoch
        let tag = suite.confirmationTag(
            epoch.secrets,
            confirmedTranscriptHash: following.context.confirmedTranscriptHash
        )
        message.auth.confirmationTag = tag
        self.commit = .publicMessage(
            suite.makePublic(message, membershipKey: nil, context: group.contextBytes)
        )
        var own = PrivateTree(leaf: leaf, leafKey: fresh.leafKey)
        own.take(fresh.secrets, of: fresh.steps[...])
        self.group = Group(group.following(message, outcome), epoch, own, bundle.signer, environment)
    }
}
