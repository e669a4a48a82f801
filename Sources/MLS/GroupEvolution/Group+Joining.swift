import MildamCrypto
import MildamWire

/// Joining via Welcome (RFC 9420, section 12.4.3.1).
extension Group {
    /// The group that one was added to.
    ///
    /// - Parameters:
    ///   - welcome: what the committer sent.
    ///   - bundle: the key package that one was added by; it is to be deleted from then on, unless it is one of last resort.
    ///   - ratchetTree: the tree as it is sent, where the Welcome does not bring it.
    ///   - origin: the group that this one was made of, by ReInit or as a branch.
    ///   - reading: the GroupInfo that the Welcome brings; called once it is joined.
    ///   - isKnown: whether one is in a group of this name already.
    /// - Throws: an ``MLSError``.
    public init(
        joining welcome: Welcome,
        with bundle: KeyPackageBundle,
        ratchetTree: [UInt8]? = nil,
        madeOf origin: Group? = nil,
        environment: GroupEnvironment,
        reading: (GroupInfo) -> Void = { _ in },
        isKnown: (GroupID) -> Bool
    ) throws(MLSError) {
        let nodes: RatchetTree.Nodes?
        do {
            nodes = try ratchetTree.map { (bytes) throws(WireError) in try RatchetTree.Nodes(wireBytes: bytes) }
        } catch {
            throw .malformed(error)
        }
        let suite = try Suite.of(welcome.cipherSuite)
        try require(.welcomeFitsKeyPackage, bundle.keyPackage.cipherSuite == welcome.cipherSuite)
        let secrets = try welcome.groupSecrets(for: bundle.keyPackage, bundle.initKey, suite)
        try Group.check(secrets.presharedKeys, suite)
        let keys = try Group.presharedKeys(secrets.presharedKeys, environment, origin)
        let member = Joiner(secret: secrets.joinerSecret).member(suite, presharedSecret: suite.presharedSecret(keys))
        let info = try welcome.groupInfo(member, suite)
        try require(.groupIsNew, !isKnown(info.groupContext.groupID))
        let publicGroup = try PublicGroup(info, nodes, suite, environment)
        let own = try Group.ownTree(publicGroup, bundle, secrets.pathSecret, signer: info.signer)
        let epoch = Epoch(
            suite,
            epochSecret: member.epochSecret(suite, context: publicGroup.contextBytes),
            publicGroup.tree.shape
        )
        try Group.check(publicGroup, epoch)
        for id in secrets.presharedKeys { try publicGroup.checkLink(id, to: origin, environment) }
        self.init(publicGroup, epoch, own, bundle.signer, environment)
        reading(info)
    }

    /// What keys a Welcome may name.
    private static func check(_ keys: [PreSharedKeyID], _ suite: Suite) throws(MLSError) {
        try require(.presharedKeysAreDistinct, Set(keys).count == keys.count)
        try require(.presharedKeysCanBeCounted, keys.count <= Int(UInt16.max))
        var linking = 0
        for id in keys {
            try require(.presharedKeyNonceHasSize, id.nonce.count == suite.secretSize)
            if case .resumption(let usage, _, _) = id.key, usage != .application { linking += 1 }
        }
        try require(.oneLinkToAnotherGroup, linking <= 1)
    }

    static func presharedKeys(
        _ ids: [PreSharedKeyID],
        _ environment: GroupEnvironment,
        _ origin: Group? = nil
    ) throws(MLSError) -> [(id: PreSharedKeyID, key: SymmetricKey)] {
        var keys: [(id: PreSharedKeyID, key: SymmetricKey)] = []
        for id in ids {
            let key = origin?.resumptionKey(id.key) ?? environment.presharedKey(id.key)
            guard let key else { throw .missingPreSharedKey(id) }
            keys.append((id, key))
        }
        return keys
    }

    /// That the secrets are those of the state that was described.
    static func check(_ group: PublicGroup, _ epoch: Epoch) throws(MLSError) {
        let tag = group.suite.confirmationTag(
            epoch.secrets,
            confirmedTranscriptHash: group.context.confirmedTranscriptHash
        )
        try require(.confirmationTagIsValid, constantTimeEquals(tag.span, group.confirmationTag.span))
    }

    /// One's own private keys: the leaf's, and those above where the committer's path meets one's own.
    private static func ownTree(
        _ group: PublicGroup,
        _ bundle: KeyPackageBundle,
        _ pathSecret: SymmetricKey?,
        signer: LeafIndex
    ) throws(MLSError) -> PrivateTree {
        let tree = group.tree
        let leaf = try required(
            .ownLeafIsInTree,
            tree.members.first { tree[$0] == bundle.keyPackage.leafNode }
        )
        var own = PrivateTree(leaf: leaf, leafKey: bundle.leafKey)
        guard let pathSecret else { return own }
        let meeting = tree.shape.commonAncestor(leaf, signer)
        let steps = tree.filteredDirectPath(of: signer).drop { $0.node != meeting }
        try require(.pathSecretGivesPublicKeys, !steps.isEmpty)
        let secrets = try PathSecrets(group.suite, from: pathSecret, count: steps.count)
        for (step, key) in zip(steps, secrets.keys) {
            try require(
                .pathSecretGivesPublicKeys,
                tree.parent(at: step.node)?.encryptionKey.bytes == key.publicKey.serialized
            )
        }
        own.take(secrets, of: steps)
        return own
    }
}
