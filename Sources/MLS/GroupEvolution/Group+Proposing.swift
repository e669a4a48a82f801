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
        try publicGroup.checkAlone(proposal, from: .member(own.leaf), sending: true, environment)
        let message = try authenticate(framed(.proposal(proposal), authenticatedData), framing.wireFormat)
        let reference = suite.reference(to: message)
        let sealed = try seal(message)
        try publicGroup.proposals.add(proposal, from: .member(own.leaf), reference)
        sentProposals[sealed] = reference
        return (sealed, reference)
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
        let key = HPKE.PrivateKey.generate(kem: suite.hpke.kem)
        change.apply(to: &content, environment.randomness)
        content.encryptionKey = HPKEPublicKey(key.publicKey.serialized)
        content.source = .update
        let leaf = try suite.sign(content, at: ownPlace, by: signer)
        var next = self
        next.proposedKeys[content.encryptionKey] = key
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

/// What is to be new in one's leaf, beside its keys.
public struct LeafChange: Sendable {
    /// Another credential; the signature key stays.
    public var credential: Credential?
    /// Other capabilities.
    public var capabilities: Capabilities?
    /// Other extensions.
    public var extensions: Extensions?

    /// Nothing, unless named.
    public init(credential: Credential? = nil, capabilities: Capabilities? = nil, extensions: Extensions? = nil) {
        self.credential = credential
        self.capabilities = capabilities
        self.extensions = extensions
    }

    func apply(to content: inout LeafNodeContent, _ randomness: Randomness) {
        if let credential { content.credential = credential }
        if let capabilities { content.capabilities = capabilities }
        if let extensions { content.extensions = extensions }
        content.grease(randomness)
    }
}
