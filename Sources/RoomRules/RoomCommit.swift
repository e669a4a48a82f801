import MildamMLS

/// A commit as the rules of a room see it: what MLS has checked and not yet applied.
public struct RoomCommit: Sendable {
    /// Who commits.
    public enum Committer: Hashable, Sendable {
        /// The member at this leaf.
        case member(LeafIndex)
        /// Somebody who comes in from outside, at the leaf of the commit's path.
        case newMember
    }

    /// What a proposal would change.
    public enum Change: Hashable, Sendable {
        /// A leaf comes in.
        case add(RoomLeaf)
        /// Somebody takes a leaf out.
        case remove(LeafIndex)
        /// The leaf takes itself out (draft-ietf-mls-extensions, SelfRemove).
        case selfRemove(LeafIndex)
        /// The group's extensions are to be these.
        case extensions(Extensions)
        /// Somebody comes in from outside.
        case externalInit
        /// Anything else.
        case other
    }

    /// A proposal of the commit.
    public struct Entry: Hashable, Sendable {
        /// What it would change.
        public let change: Change
        /// Whether the commit names it, and somebody sent it before.
        public let isByReference: Bool

        /// A proposal.
        public init(_ change: Change, isByReference: Bool = false) {
            self.change = change
            self.isByReference = isByReference
        }
    }

    /// Who commits.
    public let committer: Committer
    /// What is committed.
    public let entries: [Entry]
    /// The leaf that the committer has from then on, where the commit has a path.
    public let pathLeaf: RoomLeaf?
    /// What the commit says openly: a ``CommitReason``.
    public let authenticatedData: [UInt8]

    /// A commit.
    public init(
        by committer: Committer,
        _ entries: [Entry] = [],
        pathLeaf: RoomLeaf? = nil,
        authenticatedData: [UInt8]
    ) {
        self.committer = committer
        self.entries = entries
        self.pathLeaf = pathLeaf
        self.authenticatedData = authenticatedData
    }

    /// The leaves that go by themselves.
    public var selfRemoves: Set<LeafIndex> {
        Set(
            entries.compactMap { (entry) -> LeafIndex? in
                if case .selfRemove(let leaf) = entry.change { leaf } else { nil }
            }
        )
    }
}
