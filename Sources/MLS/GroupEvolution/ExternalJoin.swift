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
    ///   - selfRemoves: the SelfRemoves of this epoch, as they were sent: those members go with it, too.
    ///   - presharedKeys: keys that go into the key schedule.
    /// - Throws: an ``MLSError``; `missingExternalPub`.
    public init(
        _ info: GroupInfo,
        ratchetTree: [UInt8]? = nil,
        with bundle: KeyPackageBundle,
        replacing old: LeafIndex? = nil,
        selfRemoves: [PublicMessage] = [],
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
        var group = try PublicGroup(info, nodes, suite, environment)
        for message in selfRemoves {
            // That it has the right membership tag, only members see.
            guard case .proposal(_, .selfRemove, _) = try group.process(message, environment: environment) else {
                throw .proposalRefused
            }
        }
        let (kemOutput, initSecret) = try suite.sendInitSecret(to: externalPub, environment.randomness)
        let own: [Proposal] =
            [.externalInit(kemOutput: kemOutput)] + presharedKeys.map(Proposal.preSharedKey)
            + (old.map { [.remove($0)] } ?? [])
        let resolved =
            own.map { ResolvedProposal(proposal: $0, sender: .newMemberCommit, reference: nil) } + group.proposals.list
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
        try group.review(
            resolved,
            by: .newMemberCommit,
            outcome,
            pathLeaf: fresh.leaf,
            authenticatedData: authenticatedData,
            environment
        )
        let commit = Commit(
            proposals: resolved.map { $0.reference.map(ProposalOrRef.reference) ?? .proposal($0.proposal) },
            path: try outcome.evolution.tree.encrypted(
                fresh,
                context: outcome.provisional.wireBytes,
                without: [],
                environment.randomness
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
        var keys = PrivateTree(leaf: leaf, leafKey: fresh.leafKey)
        keys.take(fresh.secrets, of: fresh.steps[...])
        self.group = Group(following.confirmed(by: tag), epoch, keys, bundle.signer, environment)
    }
}

extension ExternalJoin {
    /// The group's state after the commit, signed: for those who join from outside once it was ordered.
    ///
    /// - Parameters:
    ///   - extensions: what those who join are told besides.
    ///   - sendsTree: whether the tree is in it.
    ///   - isOpen: whether the key for joining from outside is in it.
    /// - Throws: `signingFailed`.
    public func groupInfo(
        _ extensions: Extensions = Extensions(),
        sendsTree: Bool = true,
        isOpen: Bool = true
    ) throws(MLSError) -> GroupInfo {
        try group.groupInfo(extensions, sendsTree: sendsTree, isOpen: isOpen)
    }
}
