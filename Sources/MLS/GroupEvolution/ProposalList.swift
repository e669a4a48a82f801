/// The proposals of a commit by their kinds, none of which contradicts another (RFC 9420, section 12.2).
struct ProposalList: Sendable {
    /// Who commits.
    enum Committer: Hashable, Sendable {
        case member(LeafIndex)
        case newMember
    }

    private(set) var adds: [KeyPackage] = []
    private(set) var updates: [(leaf: LeafIndex, node: LeafNode)] = []
    private(set) var removes: [LeafIndex] = []
    private(set) var presharedKeys: [PreSharedKeyID] = []
    private(set) var groupContextExtensions: Extensions?
    private(set) var reInit: ReInit?
    private(set) var externalInit: [UInt8]?
    /// Whether any of them, or their absence, makes a path necessary (RFC 9420, section 12.4).
    let requiresPath: Bool

    /// The list, as it may be committed by this sender.
    init(_ proposals: [ResolvedProposal], by committer: Committer) throws(MLSError) {
        requiresPath = proposals.isEmpty || proposals.contains { $0.proposal.type.requiresPath }
        try ProposalList.checkKinds(proposals, committer)
        for entry in proposals {
            switch entry.proposal {
            case .add(let keyPackage): adds.append(keyPackage)
            case .update(let node):
                updates.append((try required(.updateIsFromMember, entry.sender.member), node))
            case .remove(let leaf): removes.append(leaf)
            case .preSharedKey(let id): presharedKeys.append(id)
            case .reInit(let wanted): reInit = wanted
            case .externalInit(let kemOutput): externalInit = kemOutput
            case .groupContextExtensions(let extensions): groupContextExtensions = extensions
            }
        }
        try checkLeaves(committer)
        try require(.presharedKeysAreDistinct, Set(presharedKeys).count == presharedKeys.count)
        try require(.presharedKeysCanBeCounted, presharedKeys.count <= Int(UInt16.max))
    }

    private static func checkKinds(_ proposals: [ResolvedProposal], _ committer: Committer) throws(MLSError) {
        func count(_ type: ProposalType) -> Int { proposals.count { $0.proposal.type == type } }
        switch committer {
        case .member:
            try require(.externalInitIsForNewMembers, count(.externalInit) == 0)
            try require(.oneGroupContextExtensions, count(.groupContextExtensions) <= 1)
            try require(.reInitStandsAlone, count(.reinit) == 0 || proposals.count == 1)
        case .newMember:
            try require(.externalCommitHasOneExternalInit, count(.externalInit) == 1)
            try require(.externalCommitRemovesAtMostOne, count(.remove) <= 1)
            try require(
                .externalCommitHasNoOtherProposals,
                count(.externalInit) + count(.remove) + count(.psk) == proposals.count
            )
            try require(.externalCommitHasNoReferences, proposals.allSatisfy { $0.reference == nil })
        }
    }

    private func checkLeaves(_ committer: Committer) throws(MLSError) {
        let changed = updates.map(\.leaf) + removes
        try require(.oneChangePerLeaf, Set(changed).count == changed.count)
        guard case .member(let own) = committer else { return }
        try require(.updateIsNotCommitters, !updates.contains { $0.leaf == own })
        try require(.removeIsNotCommitter, !removes.contains(own))
    }
}
