import MildamWire

/// Following a group without its secrets (RFC 9420, section 12.4; RFC 9750, section 5.2).
///
/// What only members can see stays unseen: that a member's message has the right membership tag, and that a commit leads to
/// the secrets that its confirmation tag is of. A member who sends a wrong one is refused by all members, and followed here:
/// whoever follows a group asks its members for a GroupInfo then.
extension PublicGroup {
    /// The group that a GroupInfo describes.
    ///
    /// - Parameters:
    ///   - ratchetTree: the tree as it is sent, where the GroupInfo does not bring it.
    ///   - maximumLeafCount: the leaves, blank ones too, with which a tree is made at all; `nil` for 2¹⁶.
    /// - Throws: an ``MLSError``.
    public init(
        _ info: GroupInfo,
        ratchetTree: [UInt8]? = nil,
        maximumLeafCount: Int? = nil,
        environment: GroupEnvironment
    ) throws(MLSError) {
        let nodes: RatchetTree.Nodes?
        do {
            nodes = try ratchetTree.map { (bytes) throws(WireError) in try RatchetTree.Nodes(wireBytes: bytes) }
        } catch {
            throw .malformed(error)
        }
        let bound = maximumLeafCount ?? RatchetTree.maximumLeafCount
        try self.init(info, nodes, Suite.of(info.groupContext.cipherSuite), environment, maximumLeafCount: bound)
    }

    /// Takes in a message; nothing has changed where it is refused.
    ///
    /// - Throws: an ``MLSError``.
    @discardableResult
    public mutating func process(
        _ message: PublicMessage,
        environment: GroupEnvironment
    ) throws(MLSError) -> ProcessedMessage {
        guard message.content.groupID == context.groupID else { throw .otherGroup }
        guard message.content.epoch == context.epoch else { throw .otherEpoch(message.content.epoch) }
        let verified = try verify(message.authenticatedContent)
        switch verified.content.body {
        case .application: return try required(.applicationDataIsEncrypted, nil)
        case .proposal(let proposal):
            let reference = try keep(proposal, verified, environment)
            return .proposal(reference, proposal, from: verified.content.sender)
        case .commit(let commit):
            let outcome = try apply(
                commit,
                from: verified.content.sender,
                authenticatedData: verified.content.authenticatedData,
                environment
            )
            if let path = commit.path, let steps = outcome.steps {
                let newLeaves = Set(outcome.evolution.added)
                try require(
                    .updatePathSecretsFitResolution,
                    outcome.evolution.tree.fits(path, steps, without: newLeaves)
                )
            }
            self = following(verified.message, outcome)
            return .commit(from: verified.content.sender)
        }
    }
}
