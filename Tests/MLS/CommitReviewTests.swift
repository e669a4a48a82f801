import MildamCrypto
import MildamWire
import Testing

@testable import MildamMLS

/// Decides on commits, and takes all proposals.
private struct Decision: GroupPolicy {
    let accepted: @Sendable (CommitReview) -> Bool

    func acceptsStanding(_ proposal: Proposal, from sender: Sender, in group: PublicGroup) -> Bool { true }
    func accepts(_ review: CommitReview) -> Bool { accepted(review) }
    var maximumLifetime: UInt64 { .max }

    var environment: GroupEnvironment {
        var environment = Person.environment
        environment.policy = self
        return environment
    }
}

@Suite("RFC 9420, sections 12.2 and 12.4: what the application decides on commits")
struct CommitReviewTests {
    private static let none = Decision { _ in false }

    /// Alice, Bob, Carol and Dave, all of whom ask the same policy.
    private func party(_ policy: Decision) throws -> Party {
        var party = try Party(["alice", "bob", "carol", "dave"])
        for name in party.groups.keys {
            var group = try party[name]
            group.environment = policy.environment
            party.set(name, group)
        }
        return party
    }

    private func group(_ name: String, in party: Party, asking policy: Decision) throws -> Group {
        var group = try party[name]
        group.environment = policy.environment
        return group
    }

    @Test func aCommitThatIsNotAcceptedIsMadeByNobodyAndTakenByNobody() throws {
        let party = try Party(["alice", "bob"])
        var alice = try group("alice", in: party, asking: CommitReviewTests.none)
        #expect(throws: MLSError.commitRefused) { try alice.commit() }
        #expect(throws: MLSError.nothingPending) { try alice.mergeStagedCommit() }
        let bob = try group("bob", in: party, asking: CommitReviewTests.none)
        let commit = try party["alice"].forgedCommit { $0.format = .publicMessage }
        try bob.expect(.commitRefused, for: commit)
        guard case .publicMessage(let message) = commit else { throw MLSError.notForMembers }
        var relay = try party["bob"].publicGroup
        #expect(throws: MLSError.commitRefused) {
            try relay.process(message, environment: CommitReviewTests.none.environment)
        }
        #expect(try relay.context == party["bob"].publicGroup.context)
    }

    @Test func aJoinThatIsNotAcceptedIsMadeByNobodyAndTakenByNobody() throws {
        let party = try Party(["alice", "bob"])
        let alice = try party["alice"]
        let bob = try group("bob", in: party, asking: CommitReviewTests.none)
        try bob.expect(.commitRefused, for: alice.forgedJoin(Person("dave").bundle()))
        #expect(throws: MLSError.commitRefused) {
            try ExternalJoin(
                alice.groupInfo(),
                with: Person("dave").bundle(),
                environment: CommitReviewTests.none.environment
            )
        }
    }

    @Test func aCommitIsSeenAsAWhole() throws {
        let unknown = Extension(type: .externalSenders, data: ExternalSenders([]).wireBytes)
        let eve = try Person("eve").bundle().keyPackage
        let policy = Decision { review in
            guard review.proposals.count == 3, review.committer == .member(LeafIndex(0)) else { return false }
            let (first, last) = (review.proposals[0], review.proposals[2])
            guard first.proposal == .remove(LeafIndex(3)), first.sender == .member(LeafIndex(2)) else { return false }
            guard last.proposal == .add(eve), last.sender == .member(LeafIndex(0)) else { return false }
            guard first.isByReference, !last.isByReference, review.authenticatedData == [7] else { return false }
            // The committer, before and after.
            let own = review.committerLeaf
            guard own == LeafIndex(0), review.pathLeaf == review[own], review.pathLeaf != review.group[own] else {
                return false
            }
            // The members, and the extensions.
            guard review.group.members.map(\.index.rawValue) == [0, 1, 2, 3], review.members.count == 4 else {
                return false
            }
            guard review[LeafIndex(3)] == eve.leafNode, review.group[LeafIndex(3)] != eve.leafNode else { return false }
            return review.group.context.extensions.list.isEmpty && review.extensions.list == [unknown]
        }
        var party = try party(policy)
        var carol = try party["carol"]
        let (message, _) = try carol.propose(.remove(LeafIndex(3)))
        party.set("carol", carol)
        try party.deliver(message, but: ["carol"])
        var options = CommitOptions()
        options.proposals = [.groupContextExtensions(Extensions([unknown])), .add(eve)]
        options.authenticatedData = [7]
        try party.commit(by: "alice", options)
        try party.agree()
        #expect(party.groups["dave"] == nil)
        // Another commit is not that one.
        var bob = try party["bob"]
        #expect(throws: MLSError.commitRefused) { try bob.commit() }
    }

    @Test func aCommitWithoutAPathHasNoLeaf() throws {
        let policy = Decision { $0.pathLeaf == nil && $0.committerLeaf == LeafIndex(1) }
        var party = try party(policy)
        var options = CommitOptions()
        options.forcesPath = false
        options.proposals = [.add(try Person("eve").bundle().keyPackage)]
        try party.commit(by: "bob", options)
        try party.agree()
        var alice = try party["alice"]
        #expect(throws: MLSError.commitRefused) { try alice.commit() }
    }

    @Test func aJoinNamesWhomItReplaces() throws {
        let policy = Decision { review in
            let replaced = review.proposals.compactMap { covered -> LeafNode? in
                if case .remove(let leaf) = covered.proposal { review.group[leaf] } else { nil }
            }
            guard review.committer == .newMemberCommit, replaced.count == 1 else { return false }
            guard replaced[0].credential == review.pathLeaf?.credential else { return false }
            return review[review.committerLeaf] == review.pathLeaf
        }
        var party = try party(policy)
        func join(_ name: String, replacing old: LeafIndex) throws -> ExternalJoin {
            try ExternalJoin(
                party["alice"].groupInfo(),
                with: Person(name).bundle(),
                replacing: old,
                environment: policy.environment
            )
        }
        #expect(throws: MLSError.commitRefused) { try join("eve", replacing: LeafIndex(2)) }
        let carol = try join("carol", replacing: LeafIndex(2))
        party.set("carol", nil)
        try party.deliver(carol.commit)
        party.set("carol", carol.group)
        try party.agree()
    }
}
