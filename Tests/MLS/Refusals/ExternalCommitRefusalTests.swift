import MildamCrypto
import MildamWire
import Testing

@testable import MildamMLS

/// Dave joins from outside; Bob looks.
@Suite("RFC 9420, section 12.4.3.2: commits from outside that are refused")
struct ExternalCommitRefusalTests {
    private func refuse(
        _ rule: ValidationRule,
        _ proposals: [Proposal] = [],
        change: (inout ForgedCommit) -> Void = { _ in }
    ) throws {
        let party = try Party(["alice", "bob", "carol", "erin"])
        let message = try party["alice"].forgedJoin(Person("dave").bundle(), proposals, change: change)
        try party["bob"].expectRefusal(rule, of: message)
    }

    @Test func aCommitThatNothingWasChangedOfIsTaken() throws {
        var party = try Party(["alice", "bob", "carol"])
        let message = try party["alice"].forgedJoin(Person("dave").bundle(), [.remove(LeafIndex(2))])
        try party.deliver(message)
        try party.agree()
        #expect(party.groups.keys.sorted() == ["alice", "bob"])
    }

    @Test func externalCommitHasPath() throws {
        let party = try Party(["alice", "bob"])
        let (dave, externalInit) = try party["alice"].newcomer(Person("dave").bundle())
        let body = FramedContent.Body.commit(Commit(proposals: [.proposal(externalInit)], path: nil))
        let message = try party["alice"].forged(body, from: .newMemberCommit, signedBy: dave.signer)
        try party["bob"].expectRefusal(.externalCommitHasPath, of: message)
    }

    @Test func externalCommitHasNoOtherProposals() throws {
        try refuse(.externalCommitHasNoOtherProposals, [.add(Person("eve").bundle().keyPackage)])
        try refuse(.externalCommitHasNoOtherProposals, [.groupContextExtensions(Extensions())])
    }

    @Test func externalCommitHasNoReferences() throws {
        var party = try Party(["alice", "bob", "carol"])
        var alice = try party["alice"]
        let (message, reference) = try alice.propose(.remove(LeafIndex(2)))
        try party.deliver(message, but: ["alice"])
        let waiting = try #require(try party["bob"].publicGroup.proposals.list.first)
        let commit = try alice.forgedJoin(Person("dave").bundle()) {
            $0.listed.append(.reference(reference))
            $0.effects.append(waiting)
        }
        try party["bob"].expectRefusal(.externalCommitHasNoReferences, of: commit)
    }

    @Test func externalCommitHasOneExternalInit() throws {
        try refuse(.externalCommitHasOneExternalInit) {
            $0.listed = []
            $0.effects = []
        }
        try refuse(.externalCommitHasOneExternalInit) { $0.listed.append($0.listed[0]) }
    }

    @Test(arguments: [[], [1, 2, 3]] + LowOrderKey.x25519)
    func externalInitIsValid(key: [UInt8]) throws {
        try refuse(.externalInitIsValid) { $0.listed = [.proposal(.externalInit(kemOutput: key))] }
    }

    @Test func externalCommitRemovesAtMostOne() throws {
        try refuse(.externalCommitRemovesAtMostOne, [.remove(LeafIndex(2)), .remove(LeafIndex(3))])
    }
}
