import MildamIdentity

/// A room's present group, for who comes in from outside.
public struct GroupReply: Hashable, Sendable {
    /// The generation.
    public let generation: UInt64
    /// The epoch.
    public let epoch: UInt64
    /// GroupInfos of it, as MLSMessages: that one first which most accounts stand behind (H10).
    public let groupInfos: [[UInt8]]
    /// The tree.
    public let tree: [UInt8]
    /// The SelfRemoves that wait, as MLSMessages.
    public let proposals: [[UInt8]]
    /// The highest number of the log.
    public let last: UInt64

    /// A group.
    public init(
        generation: UInt64,
        epoch: UInt64,
        groupInfos: [[UInt8]],
        tree: [UInt8],
        proposals: [[UInt8]],
        last: UInt64
    ) {
        self.generation = generation
        self.epoch = epoch
        self.groupInfos = groupInfos
        self.tree = tree
        self.proposals = proposals
        self.last = last
    }
}
