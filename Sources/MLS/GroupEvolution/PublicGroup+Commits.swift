/// A commit's public side (RFC 9420, section 12.4.2).
extension PublicGroup {
    /// What a commit makes of the public part, before its hash is known.
    struct CommitOutcome: Sendable {
        let evolution: Evolution
        /// Where the committer is.
        let committer: LeafIndex
        /// The nodes of the path, where there is one.
        let steps: [RatchetTree.PathStep]?
        /// The group's context with the old transcript: what path secrets are encrypted with.
        let provisional: GroupContext
    }

    /// Applies a commit.
    func apply(
        _ commit: Commit,
        from sender: Sender,
        authenticatedData: [UInt8],
        _ environment: GroupEnvironment
    ) throws(MLSError) -> CommitOutcome {
        let committer: ProposalList.Committer =
            if case .member(let leaf) = sender { .member(leaf) } else { .newMember }
        let resolved = try proposals.resolve(commit, by: sender)
        var evolution = try evolve(resolved, by: committer, environment)
        try require(.pathIsThereWhereRequired, commit.path != nil || !evolution.proposals.requiresPath)
        let index: LeafIndex =
            switch committer {
            case .member(let leaf): leaf
            case .newMember: evolution.tree.firstBlankLeaf()
            }
        var steps: [RatchetTree.PathStep]?
        if let path = commit.path {
            let old = predecessor(of: committer, evolution)
            try leafCheck(evolution.extensions, environment).check(path.leafNode, at: index, from: .commit(of: old))
            steps = try evolution.tree.merge(path, of: index)
            evolution.changed.append(index)
        }
        let outcome = try finish(evolution, index, steps, environment)
        try review(
            resolved,
            by: sender,
            outcome,
            pathLeaf: commit.path?.leafNode,
            authenticatedData: authenticatedData,
            environment
        )
        return outcome
    }

    /// Asks the application for a commit as a whole.
    func review(
        _ resolved: [ResolvedProposal],
        by sender: Sender,
        _ outcome: CommitOutcome,
        pathLeaf: LeafNode?,
        authenticatedData: [UInt8],
        _ environment: GroupEnvironment
    ) throws(MLSError) {
        let review = CommitReview(
            resolved,
            by: sender,
            in: self,
            outcome,
            pathLeaf: pathLeaf,
            authenticatedData: authenticatedData
        )
        guard environment.policy.accepts(review) else { throw .commitRefused }
    }

    /// The leaf that a committer's new one takes the place of.
    func predecessor(of committer: ProposalList.Committer, _ evolution: Evolution) -> LeafNode? {
        switch committer {
        case .member(let leaf): tree[leaf]
        case .newMember: evolution.proposals.removes.first.flatMap { tree[$0] }
        }
    }

    /// Looks at the tree as a whole, and makes the context of it.
    func finish(
        _ evolution: Evolution,
        _ committer: LeafIndex,
        _ steps: [RatchetTree.PathStep]?,
        _ environment: GroupEnvironment
    ) throws(MLSError) -> CommitOutcome {
        var evolution = evolution
        try leafCheck(evolution.extensions, environment).check(
            evolution.tree,
            changed: evolution.changed,
            before: tree
        )
        try require(.epochIsNotTheLast, context.epoch < .max)
        var provisional = context
        provisional.epoch &+= 1
        provisional.treeHash = evolution.tree.rootHash()
        provisional.extensions = evolution.extensions
        return CommitOutcome(evolution: evolution, committer: committer, steps: steps, provisional: provisional)
    }

    /// The group after a commit, all but whose confirmation tag was looked at.
    func following(_ commit: AuthenticatedContent, _ outcome: CommitOutcome) -> PublicGroup {
        var context = outcome.provisional
        context.confirmedTranscriptHash = suite.confirmedTranscriptHash(after: interimTranscriptHash, commit)
        return PublicGroup(
            suite,
            context,
            outcome.evolution.tree,
            confirmationTag: commit.auth.confirmationTag ?? []
        )
    }

    /// This group, of which the confirmation tag is known by now.
    func confirmed(by confirmationTag: [UInt8]) -> PublicGroup {
        PublicGroup(suite, context, tree, confirmationTag: confirmationTag)
    }
}
