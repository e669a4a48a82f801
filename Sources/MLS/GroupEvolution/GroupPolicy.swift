/// What an application allows in a group beyond the RFC's rules (RFC 9420, sections 12.2 and 12.4.3.2). There is no default.
///
/// What it answers has to follow from what it is asked: all members of a group, and whoever follows it, answer alike.
public protocol GroupPolicy: Sendable {
    /// Whether a proposal that was sent by itself may wait for a commit.
    func acceptsStanding(_ proposal: Proposal, from sender: Sender, in group: PublicGroup) -> Bool

    /// Whether a commit may count: one of a member's, or one by which somebody comes in.
    func accepts(_ review: CommitReview) -> Bool

    /// How many seconds the whole lifetime of a key package's leaf may be, at most (RFC 9420, section 7.2).
    var maximumLifetime: UInt64 { get }
}
