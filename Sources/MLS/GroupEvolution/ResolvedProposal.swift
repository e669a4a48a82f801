/// A proposal that a commit covers, and whose it is.
struct ResolvedProposal: Sendable {
    let proposal: Proposal
    let sender: Sender
    /// Its name, where the commit names it.
    let reference: ProposalRef?
}
