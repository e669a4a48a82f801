import MildamCrypto
import MildamWire

/// Whether leaves are what a group can have (RFC 9420, section 7.3).
struct LeafNodeCheck {
    /// Where a leaf came from, and what it has to be for that reason.
    enum Origin {
        case keyPackage
        case update(of: LeafNode)
        case commit(of: LeafNode?)
        /// It is in a tree already.
        case tree
    }

    let suite: Suite
    let group: GroupID
    /// The group's extensions, as they will be.
    let extensions: Extensions
    let environment: GroupEnvironment
    /// Whether one sends the leaf oneself. Of what is received the lifetime may have ended on the way (RFC 9420, section 7.3):
    /// members who look at it at different times would part.
    let isSending: Bool
    /// What the extensions demand of every member: read once, for all leaves.
    private let demands: Result<RequiredCapabilities?, WireError>

    init(suite: Suite, group: GroupID, extensions: Extensions, environment: GroupEnvironment, isSending: Bool) {
        self.suite = suite
        self.group = group
        self.extensions = extensions
        self.environment = environment
        self.isSending = isSending
        demands = Result { () throws(WireError) in
            try extensions.read(.requiredCapabilities, as: RequiredCapabilities.self)
        }
    }

    /// What a leaf says, by itself.
    func check(_ leaf: LeafNode, at index: LeafIndex?, from origin: Origin) throws(MLSError) {
        let place = index.map { LeafPlace(group: group, leaf: $0) }
        try require(.leafSignatureIsValid, suite.isAuthentic(leaf, at: place))
        try checkSource(leaf, origin)
        // A key that nothing can be encrypted to would hold up everybody.
        try require(.encryptionKeyIsValid, suite.isValid(leaf.encryptionKey))
        try checkCapabilities(leaf)
        try checkCredential(leaf, origin)
    }

    /// What one's own leaf says, in a group that one makes.
    func checkOwn(_ leaf: LeafNode) throws(MLSError) {
        try checkSource(leaf, .keyPackage)
        try checkCapabilities(leaf)
    }

    private func checkSource(_ leaf: LeafNode, _ origin: Origin) throws(MLSError) {
        switch (origin, leaf.source) {
        case (.keyPackage, let source):
            var lifetime: Lifetime?
            if case .keyPackage(let found) = source { lifetime = found }
            try require(.keyPackageLeafHasItsSource, lifetime != nil)
            if let lifetime { try check(lifetime) }
        case (.update(let old), let source):
            try require(.updateLeafHasItsSource, source == .update)
            try require(.updateChangesEncryptionKey, leaf.encryptionKey != old.encryptionKey)
        case (.commit(let old), _):
            // That its source is a commit is seen where its parent hash is.
            try require(.pathLeafHasNewKey, old.map { $0.encryptionKey != leaf.encryptionKey } ?? true)
        case (.tree, .keyPackage(let lifetime)): try check(lifetime)
        case (.tree, _): break
        }
    }

    private func check(_ lifetime: Lifetime) throws(MLSError) {
        try require(.lifetimeIsBounded, lifetime.duration.map { $0 <= environment.policy.maximumLifetime } ?? false)
        try require(.lifetimeIsNow, !isSending || lifetime.contains(environment.now()))
    }

    private func checkCapabilities(_ leaf: LeafNode) throws(MLSError) {
        let capabilities = leaf.capabilities
        try require(.leafExtensionsAreDistinct, leaf.extensions.areDistinct)
        let listed = Set(capabilities.extensions)
        try require(.leafExtensionsAreListed, leaf.extensions.types.allSatisfy { $0.isDefault || listed.contains($0) })
        try require(.leafCredentialIsListed, capabilities.credentials.contains(leaf.credential.type))
        try require(
            .leafSupportsGroup,
            capabilities.versions.contains(.mls10) && capabilities.cipherSuites.contains(suite.cipherSuite)
        )
        try checkGroupExtensions(capabilities)
    }

    /// What the group's extensions ask of a member.
    func checkGroupExtensions(_ capabilities: Capabilities) throws(MLSError) {
        let listed = Set(capabilities.extensions)
        try require(.leafSupportsGroupExtensions, extensions.types.allSatisfy { $0.isDefault || listed.contains($0) })
        switch demands {
        case .success(let required):
            try require(.leafMeetsRequiredCapabilities, required.map(capabilities.satisfy) ?? true)
        case .failure(let error): throw .malformed(error)
        }
    }

    private func checkCredential(_ leaf: LeafNode, _ origin: Origin) throws(MLSError) {
        if case .x509(let certificates) = leaf.credential {
            let certificate = certificates.first.flatMap { try? X509Certificate(derRepresentation: $0.data) }
            try require(
                .certificateHasSignatureKey,
                certificate.map { Array($0.publicKey) == leaf.signatureKey.bytes } ?? false
            )
            try require(.certificateFitsSuite, certificate?.signatureAlgorithm == suite.signature)
        }
        switch origin {
        case .update(let old), .commit(let old?):
            guard old.credential != leaf.credential || old.signatureKey != leaf.signatureKey else { return }
            guard environment.authentication.isValid(leaf.credential, asSuccessorOf: old.credential) else {
                throw .credentialRefused
            }
        case .keyPackage, .commit(nil), .tree: break
        }
        guard environment.authentication.isValid(leaf.credential, signatureKey: leaf.signatureKey) else {
            throw .credentialRefused
        }
    }

    /// What leaves have to be to one another; `changed` are those that have not been seen in this tree before.
    func check(_ tree: RatchetTree, changed: [LeafIndex], before: RatchetTree?) throws(MLSError) {
        for index in changed {
            guard let leaf = tree[index] else { continue }
            try require(.encryptionKeyIsUnique, tree.encryptionKeys[leaf.encryptionKey] == 1)
            try require(.signatureKeyIsUnique, tree.signatureKeys[leaf.signatureKey] == 1)
            try require(
                .leafSupportsCredentialsInUse,
                tree.credentialTypes.keys.allSatisfy(leaf.capabilities.credentials.contains)
            )
        }
        let new = Set(tree.credentialTypes.keys).subtracting(before.map { Set($0.credentialTypes.keys) } ?? [])
        guard !new.isEmpty else { return }
        let others = Set(tree.members).subtracting(changed)
        for index in others {
            guard let leaf = tree[index] else { continue }
            try require(.credentialIsSupportedByAll, new.allSatisfy(leaf.capabilities.credentials.contains))
        }
    }
}
