import MildamIdentity
import MildamMLS

/// A commit beside the room that it changes: who does what to whom, before the rules are asked.
struct RoomCommitReview {
    let before: RoomMembers
    let commit: RoomCommit
    let reason: CommitReason
    /// The leaf of who commits, as it is without the commit; for who comes in from outside, the one that comes.
    let author: RoomLeaf
    let isExternal: Bool
    /// What binds the group to its room afterwards.
    let room: RoomExtension
    let extensions: Extensions
    /// The accounts that have a seat before or afterwards, and another one or none at the other time.
    let changedSeats: Set<AccountID>
    /// The leaves that come in: of Adds, and of who comes in from outside.
    let entrants: [RoomLeaf]
    /// The leaves that others take out.
    let removed: [RoomLeaf]
    /// The leaves that go by themselves.
    let departed: [RoomLeaf]
    /// What the evidence proves about each account that is touched: signatures are looked at once.
    private let proven: [AccountID: KnownEvidence]

    init(of commit: RoomCommit, in before: RoomMembers) throws(RoomRefusal) {
        self.before = before
        self.commit = commit
        try require(.reasonIsBounded, commit.authenticatedData.count <= RoomLimits.reason)
        reason = try required(.reasonIsReadable, try? CommitReason(wireBytes: commit.authenticatedData))
        isExternal = commit.committer == .newMember
        author = try required(.committerHasLeaf, RoomCommitReview.author(of: commit, in: before))
        var changed: Extensions?
        var (added, removed): ([RoomLeaf], [RoomLeaf]) = ([], [])
        for entry in commit.entries {
            switch entry.change {
            case .add(let leaf): added.append(leaf)
            case .remove(let index): if let leaf = before.leaves[index] { removed.append(leaf) }
            case .extensions(let new): changed = new
            case .selfRemove, .externalInit, .other: break
            }
        }
        self.removed = removed
        extensions = changed ?? before.extensions
        entrants = isExternal ? added + [author] : added
        departed = commit.selfRemoves.compactMap { before.leaves[$0] }
        if let changed {
            room = try required(.groupNamesItsRoom, RoomExtension(in: changed))
        } else {
            room = before.room
        }
        let changedSeats = RoomCommitReview.changedSeats(from: before.room, to: room)
        self.changedSeats = changedSeats
        var proven: [AccountID: KnownEvidence] = [:]
        for account in Set((entrants + removed + departed + [author]).map(\.account)).union(changedSeats) {
            let newcomers = RoomCommitReview.newcomersIdentity(account, entrants, room)
            guard let known = before.identity(of: account) ?? newcomers else { continue }
            proven[account] = KnownEvidence(
                reason.evidence,
                about: account,
                known: known,
                leaves: before.leaves(of: account),
                in: before.room
            )
        }
        self.proven = proven
    }

    private static func changedSeats(from old: RoomExtension, to new: RoomExtension) -> Set<AccountID> {
        guard old.seats != new.seats else { return [] }
        return Set(old.seats.keys).union(new.seats.keys).filter { old.seats[$0] != new.seats[$0] }
    }

    private static func author(of commit: RoomCommit, in before: RoomMembers) -> RoomLeaf? {
        switch commit.committer {
        case .member(let index): before.leaves[index]
        case .newMember: commit.pathLeaf
        }
    }

    /// How many leaves an account has afterwards.
    func leavesAfter(_ account: AccountID) -> Int {
        before.leaves(of: account).count + entrants.count { $0.account == account }
            - (removed + departed).count { $0.account == account }
    }

    /// Whether an account is a member afterwards.
    func isMemberAfter(_ account: AccountID) -> Bool { leavesAfter(account) > 0 || room.seats[account] != nil }

    /// What the commit's evidence proves about an account that it touches, held against what the room knows of it, or against
    /// what a newcomer says.
    func evidence(about account: AccountID) -> KnownEvidence? { proven[account] }

    /// The identity that an account comes in with.
    func newcomersIdentity(_ account: AccountID) -> RoomIdentity? {
        RoomCommitReview.newcomersIdentity(account, entrants, room)
    }

    private static func newcomersIdentity(
        _ account: AccountID,
        _ entrants: [RoomLeaf],
        _ room: RoomExtension
    ) -> RoomIdentity? {
        entrants.first { $0.account == account }?.identity ?? room.seats[account]?.identity
    }

    /// The accounts that lose a leaf or a seat by others, or by themselves.
    var losers: Set<AccountID> {
        let seats = changedSeats.filter { room.seats[$0] == nil }
        return Set((removed + departed).map(\.account)).union(seats)
    }

    /// The accounts that were no members, and are afterwards.
    var newcomers: Set<AccountID> {
        let seated = changedSeats.filter { room.seats[$0] != nil }
        return Set(entrants.map(\.account)).union(seated).filter { !before.contains($0) }
    }
}
