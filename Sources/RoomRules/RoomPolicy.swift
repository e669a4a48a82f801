import MildamMLS

/// The rules of rooms, as MLS asks for them: relay and clients give their groups the same (H5). It stands beside
/// ``RoomAuthentication``, which looks at what leaves say of themselves.
public struct RoomPolicy: GroupPolicy {
    private let known: (context: GroupContext, members: RoomMembers)?

    /// The rules of rooms. Who is a member is read from the group at each commit.
    public init() { known = nil }

    /// The rules of rooms, for whoever has read who is a member in the epoch of this context: a thousand leaves are not read
    /// anew for its commits. Of any other epoch they are.
    public init(knowing members: RoomMembers, in context: GroupContext) { known = (context, members) }

    /// Why a commit does not count; `nil` for one that does.
    public func refusal(of review: CommitReview) -> RoomRefusal? {
        do throws(RoomRefusal) {
            try members(of: review.group).check(RoomCommit(review))
            return nil
        } catch {
            return error
        }
    }

    /// Whether a commit counts.
    public func accepts(_ review: CommitReview) -> Bool { refusal(of: review) == nil }

    /// Whether a proposal may wait for a commit. How it is marked is looked at by whoever takes the message
    /// (``LoneProposal/check(mark:)``), since MLS does not show that here.
    public func acceptsStanding(_ proposal: Proposal, from sender: Sender, in group: PublicGroup) -> Bool {
        (try? LoneProposal.check(proposal)) != nil
    }

    /// 33 days.
    public var maximumLifetime: UInt64 { RoomLimits.keyPackageLifetime }

    private func members(of group: PublicGroup) throws(RoomRefusal) -> RoomMembers {
        if let known, known.context == group.context { return known.members }
        return try RoomMembers(of: group)
    }
}
