/// The proposals of a commit by their kinds, none of which contradicts another (RFC 9420, section 12.2).
struct ProposalList: Sendable {
    /// Who commits.
    enum Committer: Hashable, Sendable {
        case member(LeafIndex)
        case newMember
    }

    private(set) var adds: [KeyPackage] = []
    private(set) var updates: [(leaf: LeafIndex, node: LeafNode)] = []
    /// The leaves of those who remove themselves.
    private(set) var selfRemoves: [LeafIndex] = []
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
            case .selfRemove: selfRemoves.append(try required(.selfRemoveIsFromMember, entry.sender.member))
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

    /// All whom it takes out, in the order in which they go.
    var gone: [LeafIndex] { selfRemoves + removes }

    private static func checkKinds(_ proposals: [ResolvedProposal], _ committer: Committer) throws(MLSError) {
        func count(_ type: ProposalType) -> Int { proposals.count { $0.proposal.type == type } }
        func isNamed(_ entry: ResolvedProposal) -> Bool { entry.reference != nil }
        func isSelfRemove(_ entry: ResolvedProposal) -> Bool { entry.proposal.type == .selfRemove }
        try require(.selfRemoveIsByReference, proposals.allSatisfy { !isSelfRemove($0) || isNamed($0) })
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
                count(.externalInit) + count(.remove) + count(.psk) + count(.selfRemove) == proposals.count
            )
            try require(.externalCommitHasNoReferences, proposals.allSatisfy { !isNamed($0) || isSelfRemove($0) })
        }
    }

    private func checkLeaves(_ committer: Committer) throws(MLSError) {
        let changed = updates.map(\.leaf) + gone
        try require(.oneChangePerLeaf, Set(changed).count == changed.count)
        guard case .member(let own) = committer else { return }
        try require(.updateIsNotCommitters, !updates.contains { $0.leaf == own })
        try require(.removeIsNotCommitter, !gone.contains(own))
    }
}
