/// The proposals of an epoch that were verified, in the order in which they came (RFC 9420, section 12.1).
struct ProposalStore: Sendable {
    private(set) var list: [ResolvedProposal] = []
    private var places: [ProposalRef: Int] = [:]

    /// Keeps a proposal, once.
    mutating func add(_ proposal: Proposal, from sender: Sender, _ reference: ProposalRef) {
        guard places[reference] == nil else { return }
        places[reference] = list.count
        list.append(ResolvedProposal(proposal: proposal, sender: sender, reference: reference))
    }

    /// What a commit covers.
    ///
    /// - Throws: `invalid(.referencedProposalIsKnown)`.
    func resolve(_ commit: Commit, by sender: Sender) throws(MLSError) -> [ResolvedProposal] {
        var resolved: [ResolvedProposal] = []
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

    mutating func removeAll() { self = ProposalStore() }
}
