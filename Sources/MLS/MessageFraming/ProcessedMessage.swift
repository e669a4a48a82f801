/// What came of a message.
public enum ProcessedMessage: Sendable {
    /// Something of the application's, to be shown.
    case application(ApplicationMessage)
    /// A proposal was kept; a commit may name it.
    case proposal(ProposalRef, Proposal, from: Sender)
    /// The group is in its next epoch.
    case commit(from: Sender)
    /// One is no longer a member. Nothing secret of the group is left.
    case removed(by: Sender)
    /// A message of one's own has come back: there is nothing to do. Of a proposal, by which name a commit names it.
    case ownMessage(ProposalRef?)
}

/// Something of the application's, by a member (RFC 9420, section 15).
public struct ApplicationMessage: Hashable, Sendable {
    /// Who sent it.
    public let sender: LeafIndex
    /// The epoch it was sent in.
    public let epoch: UInt64
    /// What the sender said openly, and signed.
    public let authenticatedData: [UInt8]
    /// The message.
    public let data: [UInt8]
}
