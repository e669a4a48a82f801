import MildamMLS
import MildamWire

/// What MLS's proposals are to the rules of a room.
extension RoomCommit.Change {
    /// What a proposal would change. Whoever would come in is looked at.
    ///
    /// - Parameter sender: whose it is; the committer's, where it came with the commit.
    /// - Throws: a ``RoomRefusal`` for a leaf that is no device's.
    public init(_ proposal: Proposal, from sender: Sender) throws(RoomRefusal) {
        switch (proposal, sender) {
        case (.add(let keyPackage), _):
            let leaf = keyPackage.leafNode
            try leaf.checkSize()
            self = .add(try RoomLeaf(leaf.credential, signatureKey: leaf.signatureKey))
        case (.remove(let leaf), _): self = .remove(leaf)
        case (.selfRemove, .member(let leaf)): self = .selfRemove(leaf)
        case (.groupContextExtensions(let extensions), _): self = .extensions(extensions)
        case (.externalInit, _): self = .externalInit
        default: self = .other
        }
    }
}

extension RoomCommit {
    /// A commit that MLS has checked.
    ///
    /// - Throws: a ``RoomRefusal`` for a leaf that is no device's.
    public init(_ review: CommitReview) throws(RoomRefusal) {
        let committer: Committer = if case .member(let leaf) = review.committer { .member(leaf) } else { .newMember }
        var entries: [Entry] = []
        for covered in review.proposals {
            let change = try Change(covered.proposal, from: covered.sender)
            entries.append(Entry(change, isByReference: covered.isByReference))
        }
        // Whether the path's leaf is its device's, MLS has asked `RoomAuthentication` where anything of it is new.
        var pathLeaf: RoomLeaf?
        if let leaf = review.pathLeaf {
            try leaf.checkSize()
            pathLeaf = try RoomLeaf(inTree: leaf)
        }
        self.init(by: committer, entries, pathLeaf: pathLeaf, authenticatedData: review.authenticatedData)
    }
}

extension LeafNode {
    /// Refuses a leaf with which a tree would be longer than anybody reads.
    func checkSize() throws(RoomRefusal) {
        try require(.leafIsBounded, wireBytes.count <= RoomLimits.leaf)
    }
}
