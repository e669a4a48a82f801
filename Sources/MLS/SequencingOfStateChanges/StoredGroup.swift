import MildamCrypto
import MildamWire

/// The records of a group, sorted by what they are.
struct StoredGroup {
    private(set) var member: MemberContent?
    private(set) var context: ContextContent?
    private(set) var leaves: [LeafIndex: LeafNode] = [:]
    private(set) var parents: [NodeIndex: ParentNode] = [:]
    private(set) var pastEpochs: [UInt64: SymmetricKey] = [:]
    private(set) var pastLeaves: [UInt64: [LeafIndex: LeafNode?]] = [:]
    private(set) var treeSecrets: [UInt64: [NodeIndex: SymmetricKey]] = [:]
    private(set) var ratchets: [UInt64: [SecretTree.RatchetID: HashRatchet]] = [:]
    /// Of the epoch that the group is in: the others' are read when it is known which one that is.
    private(set) var epochs: [UInt64: SymmetricKey] = [:]
    private(set) var proposals: [UInt64: [UInt32: ResolvedProposal]] = [:]
    private(set) var proposedKeys: [UInt64: [HPKEPublicKey: SymmetricKey]] = [:]
    private(set) var sentProposals: [UInt64: [MLSMessage: ProposalRef]] = [:]
    private(set) var staged: [UInt64: SymmetricKey] = [:]

    init(_ records: some Sequence<StateRecord>) throws(MLSError) {
        for record in records { try take(record) }
    }

    private mutating func take(_ record: StateRecord) throws(MLSError) {
        let content = record.content
        switch record.name.part {
        case .member: member = try MemberContent(content)
        case .context: context = try content.read(ContextContent.self)
        case .leaf(let leaf): leaves[leaf] = try content.read(LeafNode.self)
        case .parent(let node): parents[node] = try content.read(ParentNode.self)
        case .epoch(let epoch): epochs[epoch] = content
        case .proposal(let epoch, let place):
            proposals[epoch, default: [:]][place] = try content.read(ResolvedProposal.self)
        case .proposedKey(let epoch, let publicKey): proposedKeys[epoch, default: [:]][publicKey] = content
        case .sentProposal(let epoch, _):
            let (reference, message) = try content.read { (reader) throws(WireError) in
                (try ProposalRef(from: &reader), try MLSMessage(from: &reader))
            }
            sentProposals[epoch, default: [:]][message] = reference
        case .pastEpoch(let epoch): pastEpochs[epoch] = content
        case .pastLeaf(let epoch, let leaf):
            let isBlank = content.bitCount == 0
            pastLeaves[epoch, default: [:]][leaf] = .some(isBlank ? nil : try content.read(LeafNode.self))
        case .treeSecret(let epoch, let node): treeSecrets[epoch, default: [:]][node] = content
        case .ratchet(let epoch, let id): ratchets[epoch, default: [:]][id] = try HashRatchet(content)
        case .staged(let epoch): staged[epoch] = content
        }
    }

    /// The keys of an epoch's messages.
    ///
    /// - Throws: `damagedState`.
    func secretTree(of epoch: UInt64, _ shape: TreeShape, _ suite: Suite) throws(MLSError) -> SecretTree {
        let (nodes, ratchets) = (treeSecrets[epoch] ?? [:], ratchets[epoch] ?? [:])
        guard nodes.allSatisfy({ shape.contains($0.key) && $0.value.bitCount == 8 * suite.secretSize }),
            ratchets.allSatisfy({ shape.contains($0.key.leaf) && $0.value.fits(suite) })
        else { throw .damagedState }
        return SecretTree(shape, nodes: nodes, ratchets: ratchets)
    }

    /// The tree's nodes, from the left.
    ///
    /// - Throws: `damagedState`.
    func nodes() throws(MLSError) -> [Node?] {
        let last = max(leaves.keys.max()?.node.rawValue ?? 0, parents.keys.max()?.rawValue ?? 0)
        guard last < 2 * RatchetTree.maximumLeafCount else { throw .damagedState }
        var nodes = [Node?](repeating: nil, count: last + 1)
        for (leaf, node) in leaves { nodes[leaf.node.rawValue] = .leaf(node) }
        for (index, node) in parents { nodes[index.rawValue] = .parent(node) }
        return nodes
    }
}
