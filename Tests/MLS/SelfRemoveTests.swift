import MildamCrypto
import MildamWire
import Testing

@testable import MildamMLS

@Suite("draft-ietf-mls-extensions: SelfRemove")
struct SelfRemoveTests {
    /// Bob has proposed to go, and all know it.
    private func leaving() throws -> (party: Party, message: PublicMessage) {
        var party = try Party(["alice", "bob", "carol", "dave"])
        var bob = try party["bob"]
        #expect(!bob.isLeaving)
        let (sent, reference) = try bob.proposeSelfRemove(authenticatedData: [5])
        #expect(bob.isLeaving)
        #expect(throws: MLSError.proposalRefused) { try bob.proposeSelfRemove() }
        #expect(throws: MLSError.proposalsPending) { try bob.protect([1]) }
        party.set("bob", bob)
        var alice = try party["alice"]
        guard case .proposal(reference, .selfRemove, from: .member(bob.ownLeaf)) = try alice.process(sent.copied),
            case .publicMessage(let message) = try sent.copied
        else { throw MLSError.notForMembers }
        try party.deliver(sent, but: ["bob"])
        return (party, message)
    }

    @Test func itHasNoContent() throws {
        #expect(Proposal.selfRemove.wireBytes == [0, 0x0A])
        #expect(try Proposal(wireBytes: [0, 0x0A]) == .selfRemove)
        #expect(throws: WireError.trailingBytes(count: 1)) { try Proposal(wireBytes: [0, 0x0A, 0]) }
        #expect(!ProposalType.selfRemove.isDefault && !ProposalType.selfRemove.isForExternalSenders)
        #expect(ProposalType.selfRemove.requiresPath)
        #expect(Capabilities().proposals.contains(.selfRemove))
    }

    @Test func whoeverCommitsRemovesWhoLeaves() throws {
        var (party, _) = try leaving()
        let bob = try party["bob"].ownLeaf
        // It has a path all the same.
        var options = CommitOptions()
        options.forcesPath = false
        try party.commit(by: "carol", options)
        try party.agree()
        #expect(party.groups.keys.sorted() == ["alice", "carol", "dave"])
        #expect(try party["alice"].publicGroup[bob] == nil)
        var alice = try party["alice"]
        _ = try alice.protect([1])
    }

    @Test func whoJoinsFromOutsideRemovesWhoLeaves() throws {
        var (party, message) = try leaving()
        var relay = try party["dave"].publicGroup
        let info = try party["alice"].groupInfo()
        let erin = try ExternalJoin(
            info,
            with: Person("erin").bundle(),
            selfRemoves: [message],
            environment: Person.environment
        )
        guard case .publicMessage(let commit) = try erin.commit.copied else { throw MLSError.notForMembers }
        try relay.process(commit, environment: Person.environment)
        try party.deliver(erin.commit)
        party.set("erin", erin.group)
        try party.agree()
        #expect(party.groups.keys.sorted() == ["alice", "carol", "dave", "erin"])
        #expect(try relay.context == party["alice"].publicGroup.context)
        // In the place of who has left.
        #expect(erin.group.ownLeaf == LeafIndex(1))
    }

    @Test func whoComesBackRemovesBothAnEarlierAppearanceAndWhoLeaves() throws {
        var (party, message) = try leaving()
        let join = try ExternalJoin(
            party["alice"].groupInfo(),
            with: Person("dave").bundle(),
            replacing: party["dave"].ownLeaf,
            selfRemoves: [message],
            environment: Person.environment
        )
        party.set("dave", nil)
        try party.deliver(join.commit)
        party.set("dave", join.group)
        try party.agree()
        #expect(try party["alice"].publicGroup.members.count == 3)
    }

    @Test func whoJoinsTakesOnlySelfRemovesThatAreTheirSenders() throws {
        let (party, message) = try leaving()
        let (alice, info) = (try party["alice"], try party["alice"].groupInfo())
        func join(taking message: PublicMessage) throws {
            _ = try ExternalJoin(
                info,
                with: Person("erin").bundle(),
                selfRemoves: [message],
                environment: Person.environment
            )
        }
        var auth = message.auth
        auth.signature = auth.signature.flipped
        let forged = PublicMessage(content: message.content, auth: auth, membershipTag: message.membershipTag)
        #expect(throws: MLSError.invalid(.signatureIsValid)) { try join(taking: forged) }
        guard case .publicMessage(let other) = try alice.forged(.remove(LeafIndex(1))) else {
            throw MLSError.notForMembers
        }
        #expect(throws: MLSError.proposalRefused) { try join(taking: other) }
    }

    @Test func aRemoveOfWhoLeavesIsPassedOver() throws {
        var (party, _) = try leaving()
        var dave = try party["dave"]
        let (remove, _) = try dave.propose(.remove(LeafIndex(1)))
        party.set("dave", dave)
        try party.deliver(remove, but: ["dave"])
        try party.commit(by: "alice")
        try party.agree()
        #expect(party.groups.keys.sorted() == ["alice", "carol", "dave"])
    }

    @Test func whoLeavesCommitsWithoutIt() throws {
        var (party, _) = try leaving()
        try party.commit(by: "bob")
        try party.agree()
        #expect(try !party["bob"].isLeaving)
    }

    @Test func aGroupThatAsksForItTakesNobodyWhoDoesNotKnowIt() throws {
        let required = RequiredCapabilities(proposalTypes: [.selfRemove])
        let party = try Party(
            ["alice", "bob"],
            extensions: Extensions([Extension(type: .requiredCapabilities, data: required.wireBytes)])
        )
        let other = try Person("eve").bundle(capabilities: Capabilities(proposals: [])).keyPackage
        try party["bob"].expectRefusal(.leafMeetsRequiredCapabilities, of: party["alice"].forged(.add(other)))
    }

    @Test func itIsStoredAndRestored() throws {
        let (party, _) = try leaving()
        for name in ["alice", "bob"] {
            var disk = Disk()
            disk.save(try party[name])
            let group = try disk.restored(Person.environment)
            #expect(group.publicGroup.proposals.list.map(\.proposal) == [.selfRemove])
            #expect(group.isLeaving == (name == "bob"))
        }
        #expect(try PublicGroup(trusting: party["carol"].publicGroup.snapshot).proposals.list.count == 1)
    }
}
