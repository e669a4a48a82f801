import MildamCrypto

/// A commit of one's own, and what the group is after it (RFC 9420, section 14).
final class StagedCommit: Sendable {
    /// The message by which it is known when it comes back.
    let message: MLSMessage
    /// What the group is after it. What happens until then stays: keys that were used are not brought back.
    let publicGroup: PublicGroup
    let epoch: Epoch
    let own: PrivateTree
    /// What one signs with after it.
    let signer: AnySigningKey
    let reInit: ReInit?

    init(
        _ message: MLSMessage,
        _ publicGroup: PublicGroup,
        _ epoch: Epoch,
        _ own: PrivateTree,
        _ signer: AnySigningKey,
        _ reInit: ReInit?
    ) {
        self.message = message
        self.publicGroup = publicGroup
        self.epoch = epoch
        self.own = own
        self.signer = signer
        self.reInit = reInit
    }
}

extension Group {
    /// Makes a commit of one's own count: the delivery service has ordered it first.
    ///
    /// - Throws: `nothingPending`.
    public mutating func mergeStagedCommit() throws(MLSError) {
        self = try afterStagedCommit()
    }

    /// The group after the commit that waits.
    ///
    /// - Throws: `nothingPending`.
    private func afterStagedCommit() throws(MLSError) -> Group {
        guard let staged else { throw .nothingPending }
        return moved(to: staged.publicGroup, staged.epoch, staged.own, staged.signer, reInit: staged.reInit)
    }

    /// The tree after the commit that waits, as it is sent; `nil` where none waits.
    public var stagedRatchetTree: [UInt8]? {
        staged.map { RatchetTree.Nodes($0.publicGroup.tree.nodes).wireBytes }
    }

    /// The group's state after the commit that waits, signed: for those who join from outside once it was ordered.
    ///
    /// - Parameters:
    ///   - extensions: what those who join are told besides.
    ///   - sendsTree: whether the tree is in it.
    ///   - isOpen: whether the key for joining from outside is in it.
    /// - Throws: `nothingPending`; `signingFailed`.
    public func stagedGroupInfo(
        _ extensions: Extensions = Extensions(),
        sendsTree: Bool = true,
        isOpen: Bool = true
    ) throws(MLSError) -> GroupInfo {
        try afterStagedCommit().groupInfo(extensions, sendsTree: sendsTree, isOpen: isOpen)
    }

    /// Gives a commit of one's own up: the delivery service has ordered another.
    public mutating func discardStagedCommit() { staged = nil }
}
