import MildamCrypto
import MildamWire

/// A group out of its records (RFC 9420, section 14).
extension Group {
    /// The group that these records are of: all that ``changes(since:)`` had stored and not removed since.
    ///
    /// That they are the group's, and the latest, is the store's to know. What contradicts itself is refused.
    ///
    /// - Throws: `malformed`, `damagedState`; `unknownCipherSuite`, `invalidPrivateKey`.
    public init(
        restoring records: some Sequence<StateRecord>,
        environment: GroupEnvironment
    ) throws(MLSError) {
        let stored = try StoredGroup(records)
        guard let member = stored.member, let context = stored.context else { throw .damagedState }
        let suite = member.suite
        let tree: RatchetTree
        do { tree = try RatchetTree(stored.nodes(), suite) } catch { throw .damagedState }
        var publicGroup = try PublicGroup(restoring: context, tree, suite)
        let number = publicGroup.context.epoch
        guard context.ending != .removed else {
            let own = PrivateTree(leaf: member.leaf, leafKey: nil)
            let epoch = Epoch(suite, epochSecret: suite.zero, tree.shape)
            self.init(publicGroup, epoch, own, member.signer.key, environment)
            end(.removed)
            return
        }
        publicGroup.proposals = try ProposalStore(restoring: stored.proposals[number] ?? [:])
        guard let epochContent = stored.epochs[number] else { throw .damagedState }
        let (secrets, own, resumptionKeys) = try epochContent.read { (reader) throws(WireError) in
            let secrets = try EpochSecrets(from: &reader)
            let own = try PrivateTree(member.leaf, suite, from: &reader)
            var keys: [UInt64: SymmetricKey] = [:]
            for _ in 0..<(try reader.integer(UInt32.self)) { keys[try reader.integer()] = try reader.secret() }
            return (secrets, own, keys)
        }
        guard resumptionKeys.keys.allSatisfy({ $0 <= number }), stored.pastEpochs.keys.allSatisfy({ $0 < number }),
            secrets.fit(suite), own.fits(tree), tree[member.leaf]?.signatureKey == member.signer.publicKey
        else { throw .damagedState }
        let epoch = Epoch(secrets: secrets, secretTree: try stored.secretTree(of: number, tree.shape, suite))
        self.init(publicGroup, epoch, own, member.signer.key, environment)
        self.resumptionKeys = resumptionKeys
        ending = context.ending
        for (publicKey, content) in stored.proposedKeys[number] ?? [:] {
            let keys = try ProposedKeys(content, suite)
            guard keys.leafKey.publicKey.serialized == publicKey.bytes else { throw .damagedState }
            proposedKeys[publicKey] = keys
        }
        sentProposals = stored.sentProposals[number] ?? [:]
        pastEpochs = try PastEpoch.restored(stored, before: tree)
        let content = number < .max ? stored.staged[number + 1] : nil
        staged = try content.map { (content) throws(MLSError) in try StagedCommit(content, in: self) }
    }
}

extension PublicGroup {
    /// The group of this context, whose tree has the hash that the context says.
    ///
    /// - Throws: `damagedState`.
    init(restoring content: ContextContent, _ tree: RatchetTree, _ suite: Suite) throws(MLSError) {
        var tree = tree
        let context = content.context
        guard context.version == .mls10, context.cipherSuite == suite.cipherSuite,
            tree.rootHash() == context.treeHash
        else { throw .damagedState }
        self.init(suite, context, tree, confirmationTag: content.confirmationTag)
    }
}

extension ProposalStore {
    fileprivate init(restoring entries: [UInt32: ResolvedProposal]) throws(MLSError) {
        for place in 0..<UInt32(entries.count) {
            guard let entry = entries[place], let reference = entry.reference else { throw .damagedState }
            try add(entry.proposal, from: entry.sender, reference)
        }
    }
}

extension PrivateTree {
    /// Whether the private keys are those of the tree's public ones, and the own one is among them.
    func fits(_ tree: RatchetTree) -> Bool {
        guard let leafKey, tree[leaf]?.encryptionKey.bytes == leafKey.publicKey.serialized else { return false }
        return keys.allSatisfy { node, key in
            tree.shape.contains(node) && tree.parent(at: node)?.encryptionKey.bytes == key.publicKey.serialized
        }
    }
}

extension PastEpoch {
    /// The epochs that are over, the latest last, each with the leaves of its time.
    ///
    /// - Parameter tree: the tree of the epoch after them.
    fileprivate static func restored(_ stored: StoredGroup, before tree: RatchetTree) throws(MLSError) -> [PastEpoch] {
        var epochs: [PastEpoch] = []
        var leaves = tree.leaves
        for (number, content) in stored.pastEpochs.sorted(by: { $0.key > $1.key }) {
            let (senderData, contextBytes, count) = try content.read { (reader) throws(WireError) in
                (try reader.secret(), try reader.vector(), Int(try reader.integer(UInt32.self)))
            }
            guard count <= RatchetTree.maximumLeafCount, TreeShape(holding: count).leafCount == count else {
                throw .damagedState
            }
            leaves = leaves.prefix(count) + [TreeLeaf?](repeating: nil, count: max(0, count - leaves.count))
            for (leaf, node) in stored.pastLeaves[number] ?? [:] {
                guard leaf.offset < count else { throw .damagedState }
                leaves[leaf.offset] = node.map { TreeLeaf($0, at: leaf, tree.suite) }
            }
            epochs.append(
                PastEpoch(
                    number: number,
                    contextBytes: contextBytes,
                    senderData: senderData,
                    secretTree: try stored.secretTree(of: number, TreeShape(holding: count), tree.suite),
                    leaves: leaves
                )
            )
        }
        return epochs.reversed()
    }
}
