/// The proposals of an epoch that were verified, in the order in which they came (RFC 9420, section 12.1).
struct ProposalStore: Sendable {
    /// How many are kept.
    static let maximumCount = 4096

    private(set) var list: [ResolvedProposal] = []
    private var places: [ProposalRef: Int] = [:]

    /// Keeps a proposal, once.
    ///
    /// - Throws: `tooManyProposals`.
    mutating func add(_ proposal: Proposal, from sender: Sender, _ reference: ProposalRef) throws(MLSError) {
        guard places[reference] == nil else { return }
        guard list.count < ProposalStore.maximumCount else { throw .tooManyProposals }
        places[reference] = list.count
        list.append(ResolvedProposal(proposal: proposal, sender: sender, reference: reference))
    }

    /// What a commit covers.
    ///
    /// - Throws: `invalid(.referencedProposalIsKnown)`.
    func resolve(_ commit: Commit, by sender: Sender) throws(MLSError) -> [ResolvedProposal] {
        var resolved: [ResolvedProposal] = []
        let references = commit.proposals.compactMap {
            if case .reference(let reference) = $0 { reference } else { nil }
        }
        try require(.commitNamesProposalsOnce, Set(references).count == references.count)
        for entry in commit.proposals {
            switch entry {
            case .proposal(let proposal):
                resolved.append(ResolvedProposal(proposal: proposal, sender: sender, reference: nil))
            case .reference(let reference):
                try require(.referencedProposalIsKnown, places[reference] != nil)
                if let place = places[reference] { resolved.append(list[place]) }
            }
        }
        return resolved
    }

    /// Forgets a proposal.
    mutating func remove(_ reference: ProposalRef) {
        let kept = list.filter { $0.reference != reference }
        self = ProposalStore()
        for entry in kept {
            guard let reference = entry.reference else { continue }
            places[reference] = list.count
            list.append(entry)
        }
    }
}
