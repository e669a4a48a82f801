import MildamCrypto
import MildamWire

/// What is told to those who join (RFC 9420, section 12.4.3).
extension Group {
    /// The group's state, signed.
    ///
    /// - Parameters:
    ///   - extensions: what those who join are told besides.
    ///   - sendsTree: whether the tree is in it.
    ///   - isOpen: whether the key for joining from outside is in it.
    public func groupInfo(
        _ extensions: Extensions = Extensions(),
        sendsTree: Bool = true,
        isOpen: Bool = true
    ) throws(MLSError) -> GroupInfo {
        guard ending != .removed else { throw .inactive }
        let isGreased = environment.grease.contains(.groupInfoExtensions)
        var all = isGreased ? extensions.greased(environment.randomness) : extensions
        if sendsTree {
            let nodes = RatchetTree.Nodes(publicGroup.tree.nodes)
            all.list.append(Extension(type: .ratchetTree, data: nodes.wireBytes))
        }
        if isOpen {
            let key = try externalPub()
            all.list.append(Extension(type: .externalPub, data: key.wireBytes))
        }
        return try suite.sign(
            GroupInfoContent(
                groupContext: publicGroup.context,
                extensions: all,
                confirmationTag: publicGroup.confirmationTag,
                signer: own.leaf
            ),
            by: signer
        )
    }

    /// The key of this epoch that those outside can encapsulate a secret to (RFC 9420, section 8.3): that of every open GroupInfo
    /// of it. Nothing is signed for it.
    ///
    /// - Throws: an ``MLSError``; `inactive` for who is out of the group.
    public func externalPub() throws(MLSError) -> HPKEPublicKey {
        guard ending != .removed else { throw .inactive }
        return try suite.externalPub(epoch.secrets.external)
    }

    /// The tree as it is sent, for those who get it otherwise than with a GroupInfo.
    public var ratchetTree: [UInt8] { RatchetTree.Nodes(publicGroup.tree.nodes).wireBytes }

    /// The Welcome for those who were added by the commit that led here; `nil` where nobody was.
    func welcome(
        _ evolution: Evolution,
        _ joiner: Joiner,
        _ member: MemberSecret,
        _ fresh: RatchetTree.FreshPath?,
        _ presharedKeys: [PreSharedKeyID],
        _ options: CommitOptions
    ) throws(MLSError) -> Welcome? {
        guard !evolution.added.isEmpty else { return nil }
        let info = try groupInfo(options.groupInfoExtensions, sendsTree: options.sendsTree, isOpen: false)
        let key = member.welcomeKey(suite)
        let encrypted: [UInt8]
        do {
            encrypted = try suite.aead.seal(
                info.wireBytes.span,
                using: key.key,
                nonce: key.nonce(guardedBy: 0).span,
                authenticating: Span()
            )
        } catch {
            throw .signingFailed
        }
        let newcomers = Array(zip(evolution.added, evolution.proposals.adds))
        let ephemeral = suite.ephemeralKeys(newcomers.count, environment.randomness)
        let encryptContext = suite.encryptContext(.welcome, encrypted)
        let secrets = try inParallel(newcomers.count) { [self] (place) throws(MLSError) in
            let (leaf, keyPackage) = newcomers[place]
            let groupSecrets = GroupSecrets(
                joinerSecret: joiner.secret,
                pathSecret: pathSecret(for: leaf, fresh),
                presharedKeys: presharedKeys
            )
            return EncryptedGroupSecrets(
                newMember: suite.reference(to: keyPackage),
                encryptedGroupSecrets: try suite.encrypt(
                    groupSecrets.encoded,
                    to: keyPackage.initKey,
                    encryptContext,
                    ephemeral: ephemeral?[place]
                )
            )
        }
        return Welcome(cipherSuite: suite.cipherSuite, secrets: secrets, encryptedGroupInfo: encrypted)
    }

    /// The secret of the lowest node that is above both the own leaf and another one.
    private func pathSecret(for leaf: LeafIndex, _ fresh: RatchetTree.FreshPath?) -> SymmetricKey? {
        guard let fresh else { return nil }
        let place = fresh.steps.firstIndex { $0.node.covers(leaf) }
        return place.map { fresh.secrets.secrets[$0] }
    }
}
