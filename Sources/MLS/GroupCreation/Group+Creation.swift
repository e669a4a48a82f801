import MildamCrypto

/// A new group of one (RFC 9420, section 11).
extension Group {
    /// A group whose only member is its creator.
    ///
    /// - Parameters:
    ///   - groupID: its name; 32 random bytes, unless given.
    ///   - bundle: a key package of the creator's, whose leaf becomes the first.
    ///   - extensions: what all members are to agree on.
    /// - Throws: an ``MLSError``, where the leaf would not be accepted in a group like this.
    public init(
        creating groupID: GroupID? = nil,
        with bundle: KeyPackageBundle,
        extensions: Extensions = Extensions(),
        environment: GroupEnvironment
    ) throws(MLSError) {
        let suite = try Suite.of(bundle.keyPackage.cipherSuite)
        let groupID = groupID ?? GroupID(environment.randomness.bytes(count: 32))
        var tree = RatchetTree(bundle.keyPackage.leafNode, suite)
        let context = GroupContext(
            cipherSuite: suite.cipherSuite,
            groupID: groupID,
            epoch: 0,
            treeHash: tree.rootHash(),
            confirmedTranscriptHash: [],
            extensions: extensions
        )
        let epoch = Epoch(suite, epochSecret: suite.randomSecret(environment.randomness), tree.shape)
        let tag = suite.confirmationTag(epoch.secrets, confirmedTranscriptHash: [])
        let publicGroup = PublicGroup(suite, context, tree, confirmationTag: tag)
        let check = publicGroup.leafCheck(extensions, environment, sending: true)
        try require(.groupExtensionsAreDistinct, extensions.areDistinct)
        try check.checkOwn(bundle.keyPackage.leafNode)
        try check.check(tree, changed: tree.members, before: nil)
        try PublicGroup.checkExternalSenders(extensions, environment)
        let own = PrivateTree(leaf: LeafIndex(rawValue: 0), leafKey: bundle.leafKey)
        self.init(publicGroup, epoch, own, bundle.signer, environment)
    }
}
