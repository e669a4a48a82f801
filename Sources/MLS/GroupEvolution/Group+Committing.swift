import MildamCrypto

/// Commits of one's own (RFC 9420, section 12.4.1).
extension Group {
    /// Makes a commit, and stages it: the group is as it was until the commit is merged.
    ///
    /// - Throws: an ``MLSError``; `commitPending` where another one waits.
    public mutating func commit(_ options: CommitOptions = CommitOptions()) throws(MLSError) -> CommitMessages {
        try commit(options, linking: nil)
    }

    /// Makes a commit that may link a new group to the one that it came from.
    mutating func commit(
        _ options: CommitOptions,
        linking: ResumptionPSKUsage?
    ) throws(MLSError) -> CommitMessages {
        try checkActive()
        let waiting = publicGroup.committable(by: own.leaf, environment)
        let committed = waiting.filter { entry in
            options.received.map { entry.reference.map($0.contains) ?? false } ?? true
        }
        let resolved =
            committed
            + options.proposals.map {
                ResolvedProposal(proposal: $0, sender: .member(own.leaf), reference: nil)
            }
        var evolution = try publicGroup.evolve(
            resolved,
            by: .member(own.leaf),
            linking: linking,
            sending: true,
            environment
        )
        var fresh: RatchetTree.FreshPath?
        if options.forcesPath || evolution.proposals.requiresPath {
            fresh = try refreshedPath(&evolution, options.leafChange)
        }
        let outcome = try publicGroup.finish(evolution, own.leaf, fresh?.steps, environment)
        try publicGroup.review(
            resolved,
            by: .member(own.leaf),
            outcome,
            pathLeaf: fresh?.leaf,
            authenticatedData: options.authenticatedData,
            environment
        )
        let path = try fresh.map { (fresh) throws(MLSError) in
            try outcome.evolution.tree.encrypted(
                fresh,
                context: outcome.provisional.wireBytes,
                without: Set(evolution.added),
                environment.randomness
            )
        }
        let commit = Commit(
            proposals: resolved.map { $0.reference.map(ProposalOrRef.reference) ?? .proposal($0.proposal) },
            path: path
        )
        return try stage(commit, outcome, fresh, options)
    }

    /// Puts new keys of one's own into the tree to be.
    private func refreshedPath(
        _ evolution: inout Evolution,
        _ change: LeafChange
    ) throws(MLSError) -> RatchetTree.FreshPath {
        guard var content = publicGroup.tree[own.leaf]?.content else { throw .inactive }
        change.apply(to: &content, environment)
        let (suite, place, signer) = (suite, ownPlace, change.signer?.key ?? signer)
        let fresh = try evolution.tree.refreshPath(of: own.leaf, content, environment.randomness) {
            (content) throws(MLSError) in try suite.sign(content, at: place, by: signer)
        }
        let old = publicGroup.tree[own.leaf]
        try publicGroup.leafCheck(evolution.extensions, environment, sending: true).check(
            fresh.leaf,
            at: own.leaf,
            from: .commit(of: old)
        )
        evolution.changed.append(own.leaf)
        return fresh
    }

    /// Signs a commit, and computes the epoch it leads to.
    private mutating func stage(
        _ commit: Commit,
        _ outcome: PublicGroup.CommitOutcome,
        _ fresh: RatchetTree.FreshPath?,
        _ options: CommitOptions
    ) throws(MLSError) -> CommitMessages {
        let content = try framed(.commit(commit), options.authenticatedData)
        var message = try authenticate(content, options.framing.wireFormat)
        let proposals = outcome.evolution.proposals
        let unconfirmed = publicGroup.following(message, outcome)
        let keys = try presharedKeys(proposals.presharedKeys)
        let next = try Epoch.next(
            suite,
            initSecret: epoch.secrets.initSecret,
            commitSecret: fresh?.secrets.commitSecret ?? suite.zero,
            presharedSecret: suite.presharedSecret(keys),
            unconfirmed
        )
        let tag = suite.confirmationTag(
            next.epoch.secrets,
            confirmedTranscriptHash: unconfirmed.context.confirmedTranscriptHash
        )
        message.auth.confirmationTag = tag
        var own = own
        if let fresh {
            own.leafKey = fresh.leafKey
            own.take(fresh.secrets, of: fresh.steps[...])
        }
        own.prune(outcome.evolution.tree)
        let following = unconfirmed.confirmed(by: tag)
        let signer = fresh == nil ? signer : options.leafChange.signer?.key ?? signer
        let group = moved(to: following, next.epoch, own, signer, reInit: proposals.reInit)
        let welcome = try group.welcome(
            outcome.evolution,
            next.joiner,
            next.member,
            fresh,
            keys.map(\.id),
            options
        )
        let info =
            options.sendsGroupInfo ? try group.groupInfo(options.openGroupInfoExtensions, sendsTree: false) : nil
        // Last: a key is used up by it.
        let sealed = try seal(message)
        staged = StagedCommit(sealed, group.publicGroup, group.epoch, group.own, signer, proposals.reInit)
        return CommitMessages(
            commit: sealed,
            welcome: welcome.map(MLSMessage.welcome),
            groupInfo: info.map(MLSMessage.groupInfo)
        )
    }
}
