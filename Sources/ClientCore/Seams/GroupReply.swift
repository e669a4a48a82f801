import MildamIdentity
import MildamRoomRules

/// A room's present group, for who comes in from outside.
public struct GroupReply: Hashable, Sendable {
    /// The generation.
    public let generation: UInt64
    /// The epoch.
    public let epoch: UInt64
    /// GroupInfos of it, as MLSMessages, in the order in which they came: the committer's is the first (H10).
    public let groupInfos: [[UInt8]]
    /// How many accounts stand behind each; 0 for those beyond.
    public let accounts: [Int]
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
        accounts: [Int] = [],
        tree: [UInt8],
        proposals: [[UInt8]],
        last: UInt64
    ) {
        self.generation = generation
        self.epoch = epoch
        self.groupInfos = groupInfos
        self.accounts = accounts
        self.tree = tree
        self.proposals = proposals
        self.last = last
    }

    /// The GroupInfos in the order in which they are tried: by how many accounts stand behind them, and among equals as they
    /// came; four at most.
    var ordered: [[UInt8]] {
        let counted = groupInfos.enumerated().map { place, info in
            (place: place, accounts: accounts.indices.contains(place) ? accounts[place] : 0, info: info)
        }
        let sorted = counted.sorted { left, right in
            left.accounts == right.accounts ? left.place < right.place : left.accounts > right.accounts
        }
        return sorted.prefix(GroupInfoVotes.maximum).map(\.info)
    }
}
