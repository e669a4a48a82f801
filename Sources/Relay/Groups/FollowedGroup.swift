import MildamMLS
import MildamRelayAPI
import MildamRoomRules
import MildamStorage

/// A room's group as the relay follows it: its public part, who is in the room by it, and who waits to be let go.
struct FollowedGroup: Sendable {
    var group: PublicGroup
    var members: RoomMembers
    /// The leaves whose SelfRemoves no commit has named yet.
    var waiting: Set<LeafIndex> = []
    /// The leaves that the last commit has changed.
    var touched: [LeafIndex] = []

    /// A group whose leaves were looked at when they came in.
    init(_ group: PublicGroup) throws(RoomRefusal) {
        self.group = group
        members = try RoomMembers(of: group)
    }

    private init(
        _ group: PublicGroup,
        _ members: RoomMembers,
        waiting: Set<LeafIndex> = [],
        touched: [LeafIndex] = []
    ) {
        self.group = group
        self.members = members
        self.waiting = waiting
        self.touched = touched
    }

    /// How many bytes of memory it takes, at most or about.
    var weight: Int {
        Self.weight(
            leaves: members.leaves.count,
            nodes: group.nodeCount,
            contextSize: group.contextSize,
            waiting: waiting.count
        )
    }

    /// The same of a group with so many leaves, in a tree of so many nodes, with a context of so many bytes.
    static func weight(leaves: Int, nodes: Int, contextSize: Int, waiting: Int = 0) -> Int {
        Weight.group + leaves * Weight.leaf + nodes * Weight.node + contextSize * Weight.contextByte
            + waiting * Weight.proposal
    }

    private enum Weight {
        /// What there is once.
        static let group = 2048
        /// A leaf as it came, as it was read, and where it and its keys are found by.
        static let leaf = RoomLimits.leaf + 1024
        /// The place of a node, with a parent in every other one, and its hash.
        static let node = 256
        /// A byte of the context: twice as it is encoded, and what was read of it.
        static let contextByte = 8
        /// A SelfRemove that waits, as it came and as it was read.
        static let proposal = 2 * Limits.proposal
    }

    /// The same with a proposal of a leaf that leaves.
    func waiting(for leaf: LeafIndex, _ next: PublicGroup) -> FollowedGroup {
        FollowedGroup(next, members, waiting: waiting.union([leaf]))
    }

    /// The group after a commit: what is the same as before is not looked at again.
    ///
    /// - Parameter leaves: those that may be others than before; `nil` for any.
    func replaced(by next: PublicGroup, at leaves: [LeafIndex]? = nil) throws(RoomRefusal) -> FollowedGroup {
        var changed: [LeafIndex: RoomLeaf?] = [:]
        for index in leaves ?? Array(places(with: next)) where group[index] != next[index] {
            if let leaf = next[index] {
                changed[index] = .some(try RoomLeaf(inTree: leaf))
            } else {
                changed[index] = .some(nil)
            }
        }
        let members = try members.replacing(changed, extensions: next.context.extensions)
        return FollowedGroup(next, members, touched: Array(changed.keys))
    }

    /// Where there is a leaf, or was one.
    private func places(with next: PublicGroup) -> Set<LeafIndex> {
        Set(group.members.map { $0.index }).union(next.members.map { $0.index })
    }

    /// The group after a proposal or a commit of the log, which was looked at before it was stored.
    ///
    /// - Parameter message: an MLSMessage, encoded.
    /// - Throws: `damaged`.
    func following(_ message: [UInt8]) throws(GroupBookError) -> FollowedGroup {
        guard case .publicMessage(let sent)? = try? MLSMessage(wireBytes: message) else { throw .damaged }
        var next = group
        do throws(MLSError) {
            _ = try next.process(sent, environment: Self.taken)
        } catch {
            throw .damaged
        }
        guard case .proposal = sent.content.body else {
            do throws(RoomRefusal) { return try replaced(by: next) } catch { throw .damaged }
        }
        guard case .member(let leaf) = sent.content.sender else { throw .damaged }
        return waiting(for: leaf, next)
    }

    /// What is in the log counts.
    private static let taken = GroupEnvironment(authentication: RoomAuthentication(), policy: Taken(), now: { 0 })

    private struct Taken: GroupPolicy {
        var maximumLifetime: UInt64 { .max }

        func acceptsStanding(_: Proposal, from _: MildamMLS.Sender, in _: PublicGroup) -> Bool { true }

        func accepts(_ review: CommitReview) -> Bool { true }
    }
}

/// Why the relay could not look at something that is for a group.
enum GroupBookError: Error {
    /// It does not count, or comes too late.
    case refused(APIError)
    /// The store cannot be read.
    case storage(StorageError)
    /// What the store has of the group cannot be followed.
    case damaged
}
