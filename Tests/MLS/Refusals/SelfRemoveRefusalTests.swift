import MildamCrypto
import MildamWire
import Testing

@testable import MildamMLS

/// Bob leaves; Carol looks.
@Suite("draft-ietf-mls-extensions: SelfRemoves that are refused")
struct SelfRemoveRefusalTests {
    private static let names = ["alice", "bob", "carol", "dave"]

    /// Bob has proposed to go, and all know it.
    private func leaving() throws -> (party: Party, proposal: ResolvedProposal) {
        var party = try Party(SelfRemoveRefusalTests.names)
        var bob = try party["bob"]
        let (message, _) = try bob.proposeSelfRemove()
        party.set("bob", bob)
        try party.deliver(message, but: ["bob"])
        return (party, try #require(bob.publicGroup.proposals.list.first))
    }

    /// A commit that names the proposal.
    private func naming(_ proposal: ResolvedProposal, _ commit: inout ForgedCommit) {
        if let reference = proposal.reference { commit.listed.append(.reference(reference)) }
        commit.effects.append(proposal)
    }

    @Test func aCommitThatNothingWasChangedOfIsTaken() throws {
        var (party, proposal) = try leaving()
        let message = try party["alice"].forgedCommit { naming(proposal, &$0) }
        party.set("alice", nil)
        try party.deliver(message)
        try party.agree()
        #expect(party.groups.keys.sorted() == ["carol", "dave"])
    }

    @Test func proposalIsSupportedByAll() throws {
        let party = try Party(SelfRemoveRefusalTests.names, capabilities: Capabilities(proposals: []))
        let message = try party["bob"].forged(.selfRemove)
        try party["carol"].expectRefusal(.proposalIsSupportedByAll, of: message)
        var bob = try party["bob"]
        #expect(throws: MLSError.invalid(.proposalIsSupportedByAll)) { try bob.proposeSelfRemove() }
    }

    @Test func selfRemoveIsByReference() throws {
        let party = try Party(SelfRemoveRefusalTests.names)
        let bob = try party["bob"].ownLeaf
        try party["carol"].expectRefusal(.selfRemoveIsByReference, ofCommitBy: party["alice"], [.selfRemove]) {
            $0.effects = [ResolvedProposal(proposal: .selfRemove, sender: .member(bob), reference: nil)]
        }
        let join = try party["alice"].forgedJoin(Person("erin").bundle(), [.selfRemove])
        try party["carol"].expectRefusal(.selfRemoveIsByReference, of: join)
        var alice = try party["alice"]
        var options = CommitOptions()
        options.proposals = [.selfRemove]
        #expect(throws: MLSError.invalid(.selfRemoveIsByReference)) { try alice.commit(options) }
    }

    @Test func selfRemoveIsFromMember() throws {
        // No message gets as far: whoever is outside may not propose it.
        for sender in [Sender.external(0), .newMemberProposal, .newMemberCommit] {
            let entry = ResolvedProposal(proposal: .selfRemove, sender: sender, reference: ProposalRef([1]))
            #expect(throws: MLSError.invalid(.selfRemoveIsFromMember)) {
                try ProposalList([entry], by: .member(LeafIndex(0)))
            }
        }
    }

    @Test func selfRemoveIsPublic() throws {
        let party = try Party(SelfRemoveRefusalTests.names)
        let message = try party["bob"].forged(.proposal(.selfRemove), as: .privateMessage)
        try party["carol"].expectRefusal(.selfRemoveIsPublic, of: message)
        var bob = try party["bob"]
        #expect(throws: MLSError.invalid(.selfRemoveIsPublic)) {
            try bob.propose(.selfRemove, framing: .privateMessage)
        }
    }

    @Test func whoLeavesDoesNotCommitIt() throws {
        let (party, proposal) = try leaving()
        try party["carol"].expectRefusal(.removeIsNotCommitter, ofCommitBy: party["bob"]) { naming(proposal, &$0) }
    }

    @Test func aPathIsRequired() throws {
        let (party, proposal) = try leaving()
        try party["carol"].expectRefusal(.pathIsThereWhereRequired, ofCommitBy: party["alice"]) {
            naming(proposal, &$0)
            $0.hasPath = false
        }
    }

    @Test func nobodyGoesTwice() throws {
        let (party, proposal) = try leaving()
        let bob = try party["bob"].ownLeaf
        try party["carol"].expectRefusal(.oneChangePerLeaf, ofCommitBy: party["alice"], [.remove(bob)]) {
            naming(proposal, &$0)
        }
        let joined = try party["alice"].forgedJoin(Person("erin").bundle(), [.remove(bob)]) {
            naming(proposal, &$0)
        }
        try party["carol"].expectRefusal(.oneChangePerLeaf, of: joined)
    }
}
