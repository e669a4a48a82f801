import MildamMLS
import MildamRoomRules
import MildamSystem

/// The rules of a room as the relay asks for them: those of every client, and what is due besides.
/// It remembers what it has seen of one commit.
final class CommitJudge: GroupPolicy {
    private let members: RoomMembers
    private let waiting: Set<LeafIndex>
    private let rules = RoomPolicy()
    private let seen = Lock(Seen())

    private struct Seen: Sendable {
        var commit: RoomCommit?
        var added: [KeyPackage] = []
        var touched: [LeafIndex]?
        var refusal: RoomRefusal?
    }

    init(_ followed: FollowedGroup) {
        members = followed.members
        waiting = followed.waiting
    }

    var maximumLifetime: UInt64 { rules.maximumLifetime }

    func acceptsStanding(_ proposal: Proposal, from sender: MildamMLS.Sender, in group: PublicGroup) -> Bool {
        rules.acceptsStanding(proposal, from: sender, in: group)
    }

    func accepts(_ review: CommitReview) -> Bool {
        do throws(RoomRefusal) {
            let commit = try RoomCommit(review)
            try members.check(commit)
            try members.check(commit, whileLeaving: waiting)
            let added = review.proposals.compactMap { covered in
                if case .add(let keyPackage) = covered.proposal { keyPackage } else { nil }
            }
            let gone = commit.entries.compactMap { (entry) -> LeafIndex? in
                switch entry.change {
                case .remove(let leaf), .selfRemove(let leaf): leaf
                default: nil
                }
            }
            seen.withLock { seen in
                seen.commit = commit
                seen.added = added
                seen.touched = added.isEmpty ? gone + [review.committerLeaf] : nil
            }
            return true
        } catch {
            seen.withLock { $0.refusal = error }
            return false
        }
    }

    /// The commit that was taken.
    var commit: RoomCommit? { seen.withLock { $0.commit } }

    /// The key packages that it brings in.
    var added: [KeyPackage] { seen.withLock { $0.added } }

    /// The leaves that may be others after it; `nil` where leaves come in, wherever that is.
    var touched: [LeafIndex]? { seen.withLock { $0.touched } }

    /// Why it was not.
    var refusal: RoomRefusal? { seen.withLock { $0.refusal } }
}
