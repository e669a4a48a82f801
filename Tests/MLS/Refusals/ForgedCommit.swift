import MildamCrypto
import MildamWire

@testable import MildamMLS

/// A commit that breaks a rule: all that follows from the change is made anew, so that nothing else is wrong with it.
struct ForgedCommit {
    /// Who makes it.
    struct Committer {
        let group: PublicGroup
        let sender: Sender
        /// The first free one, where there is none yet.
        let leaf: LeafIndex?
        let content: LeafNodeContent
        let signer: AnySigningKey
        let initSecret: SymmetricKey
        let presharedKey: (PreSharedKeyID.Key) -> SymmetricKey?
        let seal: (AuthenticatedContent) throws -> MLSMessage
    }

    /// What it says that it covers.
    var listed: [ProposalOrRef]
    /// What somebody makes of that who lets it pass.
    var effects: [ResolvedProposal]
    var hasPath = true
    var format = WireFormat.privateMessage
    /// Changes the keys of the path's nodes, from below.
    var nodeKeys: (inout [HPKEPublicKey]) -> Void = { _ in }
    /// Changes the leaf before it is signed.
    var leafContent: (inout LeafNodeContent) -> Void = { _ in }
    /// Signs the leaf, where that is another key than the commit is signed with.
    var leafSigner: AnySigningKey?
    /// Changes the path before the commit is signed.
    var path: (inout UpdatePath) -> Void = { _ in }
    var confirmationTag: (inout [UInt8]) -> Void = { _ in }

    /// A commit of these proposals of the committer's own.
    init(_ proposals: [Proposal] = [], by committer: Committer) {
        listed = proposals.map(ProposalOrRef.proposal)
        effects = proposals.map { ResolvedProposal(proposal: $0, sender: committer.sender, reference: nil) }
    }

    /// The commit, and the tree after it.
    func made(by committer: Committer) throws -> (message: MLSMessage, tree: RatchetTree) {
        let (group, suite) = (committer.group, committer.group.suite)
        var (tree, context) = (group.tree, group.context)
        let added = try apply(to: &tree, &context)
        let index = committer.leaf ?? tree.firstBlankLeaf()
        let (fresh, keys) = hasPath ? try refresh(&tree, index, committer) : (nil, [])
        context.epoch &+= 1
        context.treeHash = tree.rootHash()
        let path = try fresh.map { fresh in
            var path = try tree.encrypted(fresh, context: context.wireBytes, without: added, .system)
            let secrets = path.nodes.map(\.encryptedPathSecrets)
            path.nodes = keys.indices.map { place in
                UpdatePathNode(
                    encryptionKey: keys[place],
                    encryptedPathSecrets: place < secrets.count ? secrets[place] : []
                )
            }
            self.path(&path)
            return path
        }
        var message = try suite.authenticate(
            FramedContent(
                groupID: context.groupID,
                epoch: group.context.epoch,
                sender: committer.sender,
                authenticatedData: [],
                body: .commit(Commit(proposals: listed, path: path))
            ),
            format,
            context: group.contextBytes,
            by: committer.signer
        )
        context.confirmedTranscriptHash = suite.confirmedTranscriptHash(after: group.interimTranscriptHash, message)
        message.auth.confirmationTag = try tag(PublicGroup(suite, context, tree, confirmationTag: []), fresh, committer)
        return (try committer.seal(message), tree)
    }

    /// What the proposals make of the tree and the extensions.
    private func apply(to tree: inout RatchetTree, _ context: inout GroupContext) throws -> Set<LeafIndex> {
        for case (.update(let leaf), .member(let index)) in effects.map({ ($0.proposal, $0.sender) }) {
            tree.update(index, leaf)
        }
        for case (.selfRemove, .member(let leaf)) in effects.map({ ($0.proposal, $0.sender) }) { tree.blank(leaf) }
        for case .remove(let leaf) in effects.map(\.proposal) { tree.blank(leaf) }
        tree.truncate()
        var added: Set<LeafIndex> = []
        for proposal in effects.map(\.proposal) {
            if let keyPackage = proposal.keyPackage { added.insert(tree.add(keyPackage.leafNode)) }
            if case .groupContextExtensions(let extensions) = proposal { context.extensions = extensions }
        }
        return added
    }

    private func refresh(
        _ tree: inout RatchetTree,
        _ index: LeafIndex,
        _ committer: Committer
    ) throws -> (RatchetTree.FreshPath, [HPKEPublicKey]) {
        let suite = tree.suite
        tree.blankPath(of: index)
        let steps = tree.filteredDirectPath(of: index)
        let secrets = try PathSecrets(suite, from: suite.randomSecret(.system), count: steps.count)
        var keys = secrets.keys.map { HPKEPublicKey($0.publicKey.serialized) }
        nodeKeys(&keys)
        for (step, key) in zip(steps, keys) { tree.set(ParentNode(encryptionKey: key), at: step.node) }
        let leafKey = HPKE.PrivateKey.generate(kem: suite.hpke.kem)
        var content = committer.content
        content.encryptionKey = HPKEPublicKey(leafKey.publicKey.serialized)
        content.source = .commit(parentHash: tree.setParentHashes(steps))
        leafContent(&content)
        let place = LeafPlace(group: committer.group.context.groupID, leaf: index)
        let leaf = try suite.sign(content, at: place, by: leafSigner ?? committer.signer)
        tree.set(leaf, at: index)
        return (RatchetTree.FreshPath(leaf: leaf, leafKey: leafKey, steps: steps, secrets: secrets), keys)
    }

    private func tag(
        _ following: PublicGroup,
        _ fresh: RatchetTree.FreshPath?,
        _ committer: Committer
    ) throws -> [UInt8] {
        let suite = following.suite
        var keys: [(id: PreSharedKeyID, key: SymmetricKey)] = []
        for case .preSharedKey(let id) in effects.map(\.proposal) {
            if let key = committer.presharedKey(id.key) { keys.append((id, key)) }
        }
        let epoch = try Epoch.next(
            suite,
            initSecret: committer.initSecret,
            commitSecret: fresh?.secrets.commitSecret ?? suite.zero,
            presharedSecret: suite.presharedSecret(keys),
            following
        ).epoch
        var tag = suite.confirmationTag(
            epoch.secrets,
            confirmedTranscriptHash: following.context.confirmedTranscriptHash
        )
        confirmationTag(&tag)
        return tag
    }
}

extension Group {
    /// Oneself, who commits.
    func committer() throws -> ForgedCommit.Committer {
        guard let leaf = publicGroup.tree[own.leaf] else { throw MLSError.inactive }
        return ForgedCommit.Committer(
            group: publicGroup,
            sender: .member(own.leaf),
            leaf: own.leaf,
            content: leaf.content,
            signer: signer,
            initSecret: epoch.secrets.initSecret,
            presharedKey: { self.resumptionKey($0) ?? self.environment.presharedKey($0) },
            seal: { try self.forged($0) }
        )
    }

    /// Somebody who comes into this group from outside, and the ExternalInit that belongs to it.
    func newcomer(_ bundle: KeyPackageBundle) throws -> (committer: ForgedCommit.Committer, externalInit: Proposal) {
        let (kemOutput, secret) = try suite.sendInitSecret(to: suite.externalPub(epoch.secrets.external), .system)
        let committer = ForgedCommit.Committer(
            group: publicGroup,
            sender: .newMemberCommit,
            leaf: nil,
            content: bundle.keyPackage.leafNode.content,
            signer: bundle.signer,
            initSecret: secret,
            presharedKey: { self.environment.presharedKey($0) },
            seal: { try self.forged($0) }
        )
        return (committer, .externalInit(kemOutput: kemOutput))
    }

    /// A commit of one's own, after changes.
    func forgedCommit(
        _ proposals: [Proposal] = [],
        change: (inout ForgedCommit) -> Void = { _ in }
    ) throws -> MLSMessage {
        let committer = try committer()
        var commit = ForgedCommit(proposals, by: committer)
        change(&commit)
        return try commit.made(by: committer).message
    }

    /// A commit by which somebody comes into this group, after changes.
    func forgedJoin(
        _ bundle: KeyPackageBundle,
        _ proposals: [Proposal] = [],
        change: (inout ForgedCommit) -> Void = { _ in }
    ) throws -> MLSMessage {
        let (committer, externalInit) = try newcomer(bundle)
        var commit = ForgedCommit([externalInit] + proposals, by: committer)
        commit.format = .publicMessage
        change(&commit)
        return try commit.made(by: committer).message
    }
}
