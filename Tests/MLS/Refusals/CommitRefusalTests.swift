import MildamCrypto
import MildamWire
import Testing

@testable import MildamMLS

/// Alice commits; Carol looks.
@Suite("RFC 9420, sections 12.2 and 12.4: commits that are refused")
struct CommitRefusalTests {
    /// Three people who all know one key beforehand.
    private func party() throws -> Party {
        var party = try Party(["alice", "bob", "carol"])
        for name in ["alice", "bob", "carol"] {
            var group = try party[name]
            group.environment.presharedKey = { _ in SymmetricKey(data: [UInt8](repeating: 5, count: 32)) }
            party.set(name, group)
        }
        return party
    }

    private func refuse(
        _ rule: ValidationRule,
        _ proposals: [Proposal],
        change: (inout ForgedCommit) -> Void = { _ in }
    ) throws {
        let party = try party()
        try party["carol"].expectRefusal(rule, ofCommitBy: party["alice"], proposals, change: change)
    }

    private let key = PreSharedKeyID(key: .external(id: [1]), nonce: [UInt8](repeating: 1, count: 32))

    @Test func aCommitThatNothingWasChangedOfIsTaken() throws {
        var party = try party()
        let eve = try Person("eve").bundle().keyPackage
        let bob = try party["bob"].ownLeaf
        let message = try party["alice"].forgedCommit([.add(eve), .remove(bob), .preSharedKey(key)])
        party.set("alice", nil)
        try party.deliver(message)
        #expect(party.groups.keys.sorted() == ["carol"])
        #expect(try party["carol"].publicGroup.context.epoch == 2)
    }

    @Test func addsAreDistinctClients() throws {
        let party = try party()
        var carol = try party["carol"]
        carol.environment.authentication = ByName()
        let twice = try [Person("eve").bundle(), Person("eve").bundle()].map { Proposal.add($0.keyPackage) }
        try carol.expectRefusal(.addsAreDistinctClients, ofCommitBy: party["alice"], twice)
    }

    @Test func commitNamesProposalsOnce() throws {
        var party = try party()
        var alice = try party["alice"]
        let (message, reference) = try alice.propose(.preSharedKey(key))
        party.set("alice", alice)
        try party.deliver(message, but: ["alice"])
        try party["carol"].expectRefusal(.commitNamesProposalsOnce, ofCommitBy: alice, [.preSharedKey(key)]) {
            $0.listed = [.reference(reference), .reference(reference)]
        }
    }

    @Test func epochIsNotTheLast() throws {
        var party = try party()
        for name in ["alice", "carol"] {
            var group = try party[name]
            group.publicGroup.context.epoch = .max
            group.publicGroup.contextBytes = group.publicGroup.context.wireBytes
            party.set(name, group)
        }
        guard case .publicMessage(let commit) = try party["alice"].forgedCommit(change: { $0.format = .publicMessage })
        else { throw MLSError.notForMembers }
        var relay = try party["carol"].publicGroup
        #expect(throws: MLSError.invalid(.epochIsNotTheLast)) {
            try relay.process(commit, environment: Person.environment)
        }
        #expect(try relay.context == party["carol"].publicGroup.context)
    }

    @Test func oneChangePerLeaf() throws {
        var party = try party()
        let bob = try party["bob"]
        var sender = bob
        let (message, reference) = try sender.proposeUpdate()
        try party.deliver(message, but: ["bob"])
        let update = try #require(try party["alice"].publicGroup.proposals.list.first)
        let alice = try party["alice"]
        try party["carol"].expectRefusal(.oneChangePerLeaf, ofCommitBy: alice, [.remove(bob.ownLeaf)]) {
            $0.listed.insert(.reference(reference), at: 0)
            $0.effects.insert(update, at: 0)
        }
        try refuse(.oneChangePerLeaf, [.remove(bob.ownLeaf), .remove(bob.ownLeaf)])
    }

    @Test func oneGroupContextExtensions() throws {
        try refuse(
            .oneGroupContextExtensions,
            [.groupContextExtensions(Extensions()), .groupContextExtensions(Extensions())]
        )
    }

    @Test func pathIsThereWhereRequired() throws {
        try refuse(.pathIsThereWhereRequired, [.remove(LeafIndex(1))]) { $0.hasPath = false }
        try refuse(.pathIsThereWhereRequired, [.groupContextExtensions(Extensions())]) { $0.hasPath = false }
        try refuse(.pathIsThereWhereRequired, []) { $0.hasPath = false }
    }

    @Test func presharedKeysCanBeCounted() throws {
        let resolved = (0...UInt16.max).map { number in
            let id = PreSharedKeyID(key: .external(id: [UInt8(number >> 8), UInt8(number & 0xFF)]), nonce: [])
            return ResolvedProposal(proposal: .preSharedKey(id), sender: .member(LeafIndex(0)), reference: nil)
        }
        #expect(throws: MLSError.invalid(.presharedKeysCanBeCounted)) {
            try ProposalList(resolved, by: .member(LeafIndex(0)))
        }
    }

    @Test func presharedKeysAreDistinct() throws {
        try refuse(.presharedKeysAreDistinct, [.preSharedKey(key), .preSharedKey(key)])
    }

    @Test func referencedProposalIsKnown() throws {
        try refuse(.referencedProposalIsKnown, []) {
            $0.listed = [.reference(ProposalRef([UInt8](repeating: 1, count: 32)))]
        }
    }

    @Test func reInitStandsAlone() throws {
        let reInit = Proposal.reInit(ReInit(groupID: GroupID([1]), cipherSuite: .p256AES128))
        try refuse(.reInitStandsAlone, [reInit, .preSharedKey(key)])
        try refuse(.reInitStandsAlone, [reInit, reInit])
    }

    @Test func removeIsNotCommitter() throws {
        try refuse(.removeIsNotCommitter, [.remove(LeafIndex(0))])
    }

    @Test func updateIsNotCommitters() throws {
        let party = try party()
        var alice = try party["alice"]
        let (update, _) = try alice.proposeUpdate()
        guard
            case .proposal(_, let proposal, _) = try {
                var bob = $0
                return try bob.process(update)
            }(party["bob"])
        else { throw MLSError.otherGroup }
        try party["carol"].expectRefusal(.updateIsNotCommitters, ofCommitBy: party["alice"], [proposal])
    }
}
