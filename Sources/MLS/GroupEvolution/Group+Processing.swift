import MildamCrypto

/// Commits of others (RFC 9420, section 12.4.2).
extension Group {
    /// What a commit makes of the group.
    func process(_ commit: Commit, _ verified: VerifiedContent) throws(MLSError) -> Group {
        let outcome = try publicGroup.apply(
            commit,
            from: verified.content.sender,
            authenticatedData: verified.content.authenticatedData,
            environment
        )
        let proposals = outcome.evolution.proposals
        guard !proposals.gone.contains(own.leaf) else {
            var next = self
            next.end(.removed)
            return next
        }
        var (own, signer) = (own, signer)
        if let update = proposals.updates.first(where: { $0.leaf == own.leaf }) {
            guard let keys = proposedKeys[update.node.encryptionKey] else { throw .decryptionFailed }
            own.leafKey = keys.leafKey
            signer = keys.signer ?? signer
        }
        let commitSecret = try takePath(commit, outcome, &own)
        own.prune(outcome.evolution.tree)
        let following = publicGroup.following(verified.message, outcome)
        let initSecret = try initSecret(proposals.externalInit)
        let next = try Epoch.next(
            suite,
            initSecret: initSecret,
            commitSecret: commitSecret,
            presharedSecret: suite.presharedSecret(presharedKeys(proposals.presharedKeys)),
            following
        ).epoch
        let tag = suite.confirmationTag(
            next.secrets,
            confirmedTranscriptHash: following.context.confirmedTranscriptHash
        )
        try require(
            .confirmationTagIsValid,
            constantTimeEquals(tag.span, following.confirmationTag.span)
        )
        return moved(to: following, next, own, signer, reInit: proposals.reInit)
    }

    /// Takes the secrets of a path into one's own tree.
    ///
    /// - Returns: `commit_secret`.
    private func takePath(
        _ commit: Commit,
        _ outcome: PublicGroup.CommitOutcome,
        _ own: inout PrivateTree
    ) throws(MLSError) -> SymmetricKey {
        guard let path = commit.path, let steps = outcome.steps else { return suite.zero }
        let newLeaves = Set(outcome.evolution.added)
        let tree = outcome.evolution.tree
        try require(.updatePathSecretsFitResolution, tree.fits(path, steps, without: newLeaves))
        let (place, secrets) = try tree.secrets(
            of: path,
            steps,
            for: own,
            context: outcome.provisional.wireBytes,
            without: newLeaves
        )
        own.take(secrets, of: steps[place...])
        return secrets.commitSecret
    }

    /// The init secret that goes into the next epoch: the epoch's own, or what a new member has sent (RFC 9420, section 8.3).
    private func initSecret(_ kemOutput: [UInt8]?) throws(MLSError) -> SymmetricKey {
        guard let kemOutput else { return epoch.secrets.initSecret }
        return try suite.receiveInitSecret(kemOutput, external: epoch.secrets.external)
    }

    /// This member in the next epoch.
    func moved(
        to next: PublicGroup,
        _ nextEpoch: Epoch,
        _ own: PrivateTree,
        _ signer: AnySigningKey,
        reInit: ReInit?
    ) -> Group {
        var group = self
        group.keepPastEpoch()
        group.publicGroup = next
        group.epoch = nextEpoch
        group.own = own
        group.signer = signer
        group.proposedKeys = [:]
        group.sentProposals = [:]
        group.staged = nil
        group.resumptionKeys[next.context.epoch] = nextEpoch.secrets.resumptionPSK
        let kept = UInt64(environment.resumptionEpochs)
        group.resumptionKeys = group.resumptionKeys.filter { next.context.epoch - $0.key < kept }
        if let reInit { group.ending = .reInitialized(reInit) }
        return group
    }

    /// Keeps what late messages of this epoch are read with, for as many epochs as the environment says.
    private mutating func keepPastEpoch() {
        pastEpochs.append(
            PastEpoch(
                number: publicGroup.context.epoch,
                contextBytes: publicGroup.contextBytes,
                senderData: epoch.secrets.senderData,
                secretTree: epoch.secretTree,
                leaves: publicGroup.tree.leaves
            )
        )
        pastEpochs.removeFirst(max(0, pastEpochs.count - environment.pastEpochs))
    }

    /// Ends this member's part in the group: nothing secret stays.
    mutating func end(_ ending: Ending) {
        self.ending = ending
        pastEpochs = []
        resumptionKeys = [:]
        proposedKeys = [:]
        sentProposals = [:]
        staged = nil
        epoch = Epoch(suite, epochSecret: suite.zero, publicGroup.tree.shape)
        own = PrivateTree(leaf: own.leaf, leafKey: nil)
    }
}

extension Epoch {
    /// The epoch after a commit, and what new members are told of it.
    static func next(
        _ suite: Suite,
        initSecret: SymmetricKey,
        commitSecret: SymmetricKey,
        presharedSecret: SymmetricKey,
        _ group: PublicGroup
    ) throws(MLSError) -> (epoch: Epoch, joiner: Joiner, member: MemberSecret) {
        let joiner = Joiner(suite, initSecret: initSecret, commitSecret: commitSecret, context: group.contextBytes)
        let member = joiner.member(suite, presharedSecret: presharedSecret)
        let epoch = Epoch(
            suite,
            epochSecret: member.epochSecret(suite, context: group.contextBytes),
            group.tree.shape
        )
        return (epoch, joiner, member)
    }
}
