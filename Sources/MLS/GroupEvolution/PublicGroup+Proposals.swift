/// Proposals that wait for a commit (RFC 9420, section 12.1).
extension PublicGroup {
    /// Keeps a proposal that could be committed, if it were the only one: what nobody may commit would hold up everybody.
    mutating func keep(
        _ proposal: Proposal,
        _ verified: VerifiedContent,
        _ environment: GroupEnvironment
    ) throws(MLSError) -> ProposalRef {
        // Whoever joins from outside has to see it (draft-ietf-mls-extensions).
        let isPublic = verified.message.wireFormat == .publicMessage
        try require(.selfRemoveIsPublic, proposal.type != .selfRemove || isPublic)
        let sender = verified.content.sender
        try checkAlone(proposal, from: sender, environment)
        let reference = suite.reference(to: verified.message)
        try proposals.add(proposal, from: sender, reference)
        return reference
    }

    /// Whether a proposal could be committed by somebody, if it were the only one.
    func checkAlone(
        _ proposal: Proposal,
        from sender: Sender,
        sending: Bool = false,
        _ environment: GroupEnvironment
    ) throws(MLSError) {
        guard environment.policy.acceptsStanding(proposal, from: sender, in: self) else { throw .proposalRefused }
        // A committer who is nobody: what one may not commit oneself, others may.
        let nobody = ProposalList.Committer.member(LeafIndex(rawValue: .max))
        // A commit names it.
        let resolved = ResolvedProposal(proposal: proposal, sender: sender, reference: ProposalRef([]))
        _ = try evolve([resolved], by: nobody, sending: sending, environment)
    }

    /// The proposals that wait, without those that contradict another (RFC 9420, section 12.2): a SelfRemove is preferred to a
    /// Remove, that to an Update, and the latest Update to those before; the latest extensions; anything to a ReInit.
    ///
    /// - Parameter committer: whose own Updates are left out: whoever commits has new keys by that.
    func committable(by committer: LeafIndex, _ environment: GroupEnvironment) -> [ResolvedProposal] {
        var leaves: Set<LeafIndex> = []
        var clients: Set<[UInt8]> = []
        var hasExtensions = false
        var chosen: [ResolvedProposal] = []
        let selfRemoves = proposals.list.filter { $0.proposal.type == .selfRemove }
        let removes = proposals.list.filter { $0.proposal.type == .remove }
        let others = proposals.list.filter { ![.selfRemove, .remove].contains($0.proposal.type) }
        for entry in selfRemoves + removes.reversed() + others.reversed() {
            switch entry.proposal {
            case .remove(let leaf): guard leaf != committer, leaves.insert(leaf).inserted else { continue }
            case .update, .selfRemove:
                guard case .member(let leaf) = entry.sender, leaf != committer, leaves.insert(leaf).inserted else {
                    continue
                }
            case .add(let keyPackage):
                let client = environment.authentication.client(of: keyPackage.leafNode)
                guard clients.insert(client).inserted else { continue }
            case .groupContextExtensions:
                guard !hasExtensions else { continue }
                hasExtensions = true
            case .externalInit: continue
            case .preSharedKey, .reInit: break
            }
            chosen.append(entry)
        }
        let kept = Set(chosen.compactMap(\.reference))
        let inOrder = proposals.list.filter { $0.reference.map(kept.contains) ?? false }
        let changes = inOrder.filter { $0.proposal.type != .reinit }
        return changes.isEmpty ? Array(inOrder.prefix(1)) : changes
    }
}

extension Group {
    /// Forgets a proposal that waits for a commit.
    public mutating func discardProposal(_ reference: ProposalRef) {
        let discarded = publicGroup.proposals.list.first { $0.reference == reference }
        if case .update(let leaf)? = discarded?.proposal { proposedKeys[leaf.encryptionKey] = nil }
        publicGroup.proposals.remove(reference)
        sentProposals = sentProposals.filter { $0.value != reference }
    }
}
