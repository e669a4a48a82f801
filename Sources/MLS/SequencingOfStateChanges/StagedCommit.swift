/// A commit of one's own, and what the group is after it (RFC 9420, section 14).
final class StagedCommit: Sendable {
    /// The message by which it is known when it comes back.
    let message: MLSMessage
    /// What the group is after it. What happens until then stays: keys that were used are not brought back.
    let publicGroup: PublicGroup
    let epoch: Epoch
    let own: PrivateTree
    let reInit: ReInit?

    init(
        _ message: MLSMessage,
        _ publicGroup: PublicGroup,
        _ epoch: Epoch,
        _ own: PrivateTree,
        _ reInit: ReInit?
    ) {
        self.message = message
        self.publicGroup = publicGroup
        self.epoch = epoch
        self.own = own
        self.reInit = reInit
    }
}

extension Group {
    /// Makes a commit of one's own count: the delivery service has ordered it first.
    ///
    /// - Throws: `nothingPending`.
    public mutating func mergeStagedCommit() throws(MLSError) {
        guard let staged else { throw .nothingPending }
        self = moved(to: staged.publicGroup, staged.epoch, staged.own, reInit: staged.reInit)
    }

    /// The tree after the commit that waits, as it is sent; `nil` where none waits.
    public var stagedRatchetTree: [UInt8]? {
        staged.map { RatchetTree.Nodes($0.publicGroup.tree.nodes).wireBytes }
    }

    /// Gives a commit of one's own up: the delivery service has ordered another.
    public mutating func discardStagedCommit() { staged = nil }
}
