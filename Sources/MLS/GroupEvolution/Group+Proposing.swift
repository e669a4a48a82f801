import MildamCrypto

/// Proposals of one's own (RFC 9420, section 12.1).
extension Group {
    /// How handshake messages are sent.
    public enum Framing: Hashable, Sendable {
        /// Readable by the delivery service.
        case publicMessage
        /// Readable by members.
        case privateMessage

        var wireFormat: WireFormat { self == .publicMessage ? .publicMessage : .privateMessage }
    }

    /// Proposes a change; a commit, of whomever, may then name it.
    ///
    /// - Throws: an ``MLSError``, where it could not be committed.
    public mutating func propose(
        _ proposal: Proposal,
        framing: Framing = .privateMessage,
        authenticatedData: [UInt8] = []
    ) throws(MLSError) -> (message: MLSMessage, reference: ProposalRef) {
        try checkActive()
        // An Update whose private key nobody here has would end one's part in the group.
        guard proposal.type != .update || proposedKeys.keys.contains(where: { proposal.updates($0) }) else {
            throw .proposalRefused
        }
        try require(.selfRemoveIsPublic, proposal.type != .selfRemove || framing == .publicMessage)
        guard proposal.type != .selfRemove || !isLeaving else { throw .proposalRefused }
        try publicGroup.checkAlone(proposal, from: .member(own.leaf), sending: true, environment)
        let message = try authenticate(framed(.proposal(proposal), authenticatedData), framing.wireFormat)
        let reference = suite.reference(to: message)
        let sealed = try seal(message)
        try publicGroup.proposals.add(proposal, from: .member(own.leaf), reference)
        sentProposals[sealed] = reference
        return (sealed, reference)
    }

    /// Proposes that one is removed: whoever commits next does it, a member or one who joins from outside
    /// (draft-ietf-mls-extensions). It is a PublicMessage, for those outside to read.
    ///
    /// - Throws: `proposalRefused` where one has done so in this epoch; an ``MLSError``.
    public mutating func proposeSelfRemove(
        authenticatedData: [UInt8] = []
    ) throws(MLSError) -> (message: MLSMessage, reference: ProposalRef) {
        try propose(.selfRemove, framing: .publicMessage, authenticatedData: authenticatedData)
    }

    /// Whether one has proposed in this epoch that one is removed.
    public var isLeaving: Bool {
        publicGroup.proposals.list.contains { $0.proposal.type == .selfRemove && $0.sender == .member(own.leaf) }
    }

    /// Proposes to give oneself new keys.
    ///
    /// - Parameter change: what else is to be new in one's leaf.
    /// - Throws: an ``MLSError``.
    public mutating func proposeUpdate(
        _ change: LeafChange = LeafChange(),
        framing: Framing = .privateMessage,
        authenticatedData: [UInt8] = []
    ) throws(MLSError) -> (message: MLSMessage, reference: ProposalRef) {
        try checkActive()
        guard var content = publicGroup.tree[own.leaf]?.content else { throw .inactive }
        let key = suite.generateKeyPair(environment.randomness)
        change.apply(to: &content, environment)
        content.encryptionKey = HPKEPublicKey(key.publicKey.serialized)
        content.source = .update
        let leaf = try suite.sign(content, at: ownPlace, by: change.signer?.key ?? signer)
        var next = self
        next.proposedKeys[content.encryptionKey] = ProposedKeys(leafKey: key, signer: change.signer?.key)
        let sent = try next.propose(.update(leaf), framing: framing, authenticatedData: authenticatedData)
        self = next
        return sent
    }

    var ownPlace: LeafPlace { LeafPlace(group: publicGroup.context.groupID, leaf: own.leaf) }

    /// A pre-shared key with a fresh nonce, for a proposal.
    public func presharedKeyID(_ key: PreSharedKeyID.Key) -> PreSharedKeyID {
        publicGroup.presharedKeyID(key, randomness: environment.randomness)
    }
}

extension Proposal {
    /// Whether it gives its sender a leaf of this key.
    fileprivate func updates(_ key: HPKEPublicKey) -> Bool {
        if case .update(let leaf) = self { leaf.encryptionKey == key } else { false }
    }
}
