import MildamWire

/// A group as a delivery service keeps it between two messages.
extension PublicGroup {
    /// All of it, for a store of one's own: as long as the tree is, and nothing in it is secret.
    ///
    ///     struct {
    ///         uint8 version = 1;
    ///         GroupContext context;
    ///         MAC confirmation_tag;
    ///         optional<Node> ratchet_tree<V>;
    ///         ResolvedProposal proposals<V>;
    ///     } Snapshot;
    public var snapshot: [UInt8] { Snapshot(self).wireBytes }

    /// The group of a snapshot that one has made oneself.
    ///
    /// What its members have signed, and what they may be, was looked at when it came about, and is not again: that would
    /// be most of the work. That the tree is the one of the context is seen by its hash.
    ///
    /// - Throws: `malformed`, `damagedState`, `unknownCipherSuite`; `invalid`, for a tree that is none, or another one.
    public init(trusting snapshot: [UInt8]) throws(MLSError) {
        let stored: Snapshot
        do { stored = try Snapshot(wireBytes: snapshot) } catch { throw .malformed(error) }
        guard stored.context.version == .mls10 else { throw .damagedState }
        let suite = try Suite.of(stored.context.cipherSuite)
        var tree = try RatchetTree(stored.nodes.list, suite)
        try require(.treeHashIsThatOfContext, tree.rootHash() == stored.context.treeHash)
        self.init(suite, stored.context, tree, confirmationTag: stored.confirmationTag)
        for entry in stored.proposals {
            guard let reference = entry.reference else { throw .damagedState }
            try proposals.add(entry.proposal, from: entry.sender, reference)
        }
    }
}

private struct Snapshot: WireEncodable, WireDecodable {
    private static let version: UInt8 = 1

    let context: GroupContext
    let confirmationTag: [UInt8]
    let nodes: RatchetTree.Nodes
    let proposals: [ResolvedProposal]

    init(_ group: PublicGroup) {
        context = group.context
        confirmationTag = group.confirmationTag
        nodes = RatchetTree.Nodes(group.tree.nodes)
        proposals = group.proposals.list
    }

    init(from reader: inout WireReader) throws(WireError) {
        guard try reader.integer() == Snapshot.version else { throw .invalidValue(field: "version") }
        context = try GroupContext(from: &reader)
        confirmationTag = try reader.vector()
        nodes = try RatchetTree.Nodes(from: &reader)
        proposals = try reader.vector(of: ResolvedProposal.self)
    }

    func encode(into writer: inout WireWriter) {
        writer.integer(Snapshot.version)
        context.encode(into: &writer)
        writer.vector(confirmationTag)
        nodes.encode(into: &writer)
        writer.vector(of: proposals)
    }
}
