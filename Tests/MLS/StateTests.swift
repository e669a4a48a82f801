import MildamCrypto
import MildamWire
import Testing

@testable import MildamMLS

@Suite("RFC 9420, sections 9.2, 12 and 14: what changes, and what does not")
struct StateTests {
    @Test func aCommitThatCameTooEarlyIsTakenLater() throws {
        var party = try Party(["alice", "bob", "carol"])
        var bob = try party["bob"]
        let (update, _) = try bob.proposeUpdate()
        party.set("bob", bob)
        try party.deliver(update, but: ["bob", "carol"])
        var alice = try party["alice"]
        let messages = try alice.commit()
        var carol = try party["carol"]
        for _ in 0..<2 {
            #expect(throws: MLSError.invalid(.referencedProposalIsKnown)) { try carol.process(messages.commit) }
        }
        _ = try carol.process(update)
        _ = try carol.process(messages.commit)
        try alice.mergeStagedCommit()
        #expect(carol.epochAuthenticator == alice.epochAuthenticator)
    }

    @Test func whatWasReadWhileACommitWaitedIsNotReadAgain() throws {
        let party = try Party(["alice", "bob"])
        var (alice, bob) = (try party["alice"], try party["bob"])
        let message = try bob.protect([1])
        _ = try alice.commit()
        _ = try alice.process(message)
        try alice.mergeStagedCommit()
        #expect(throws: MLSError.keyConsumed) { try alice.process(message) }
    }

    @Test func aProposalThatNobodyMayCommitIsNotKept() throws {
        let party = try Party(["alice", "bob"])
        var alice = try party["alice"]
        let context = alice.publicGroup.context
        let late = try Person("eve").bundle(lifetime: Lifetime(notBefore: 5, notAfter: 1))
        let message = try ExternalProposal.addition(of: late, to: context.groupID, epoch: context.epoch)
        #expect(throws: MLSError.invalid(.lifetimeIsBounded)) { try alice.process(message) }
        _ = try alice.protect([1])
        _ = try alice.commit()
    }

    @Test func proposalsThatContradictOneAnotherHoldUpNobody() throws {
        var party = try Party(["alice", "bob", "carol"])
        var bob = try party["bob"]
        var messages = [try bob.proposeUpdate().message, try bob.proposeUpdate().message]
        party.set("bob", bob)
        var carol = try party["carol"]
        messages.append(try carol.propose(.remove(bob.ownLeaf)).message)
        messages.append(try carol.propose(.reInit(ReInit(groupID: GroupID([1]), cipherSuite: .p256AES128))).message)
        party.set("carol", carol)
        for message in messages.prefix(2) { try party.deliver(message, but: ["bob"]) }
        for message in messages.dropFirst(2) { try party.deliver(message, but: ["carol"]) }
        try party.commit(by: "alice")
        try party.agree()
        #expect(party.groups.keys.sorted() == ["alice", "carol"])
    }

    @Test func whoWasRemovedHasNothingLeft() throws {
        var party = try Party(["alice", "bob"])
        var bob = try party["bob"]
        var options = CommitOptions()
        options.proposals = [.remove(bob.ownLeaf)]
        let commit = try party.commit(by: "alice", options).commit
        guard case .removed(by: .member) = try bob.process(commit) else {
            Issue.record("bob does not know")
            return
        }
        #expect(bob.ending == .removed && bob.epochAuthenticator.isEmpty && bob.resumptionKeys.isEmpty)
        #expect(bob.own.leafKey == nil && bob.pastEpochs.isEmpty)
        #expect(throws: MLSError.inactive) { try bob.export(label: "a", context: [], outputByteCount: 32) }
        #expect(throws: MLSError.inactive) { try bob.groupInfo() }
        #expect(throws: MLSError.inactive) { try bob.protect([1]) }
    }

    @Test func anOwnCommitThatWasGivenUpAndOrderedAllTheSameIsToldApart() throws {
        let party = try Party(["alice", "bob"])
        var alice = try party["alice"]
        let messages = try alice.commit()
        alice.discardStagedCommit()
        #expect(throws: MLSError.ownCommitLost) { try alice.process(messages.commit) }
    }

    @Test func theLastEpochIsTheLast() throws {
        let party = try Party(["alice"])
        var alice = try party["alice"]
        alice.publicGroup.context.epoch = .max
        #expect(throws: MLSError.invalid(.epochIsNotTheLast)) { try alice.commit() }
    }

    @Test func resumptionKeysAreForgotten() throws {
        var party = try Party(["alice", "bob"])
        for _ in 0..<10 { try party.commit(by: "alice") }
        let (alice, bob) = (try party["alice"], try party["bob"])
        #expect(alice.environment.resumptionEpochs == 8)
        #expect(
            alice.resumptionKeys.keys.sorted() == Array(4...11) && bob.resumptionKeys.keys.sorted() == Array(4...11)
        )
    }

    @Test func forwardSecrecyWithinAnEpoch() throws {
        let party = try Party(["alice", "bob"])
        var (alice, bob) = (try party["alice"], try party["bob"])
        let messages = try (0..<3).map { try alice.protect([UInt8($0)]) }
        for message in [messages[1], messages[2]] { _ = try bob.process(message) }
        // Whoever takes all that bob has now reads nothing that was read, and what is still to come.
        var thief = bob
        for message in [messages[1], messages[2]] {
            #expect(throws: MLSError.keyConsumed) { try thief.process(message) }
        }
        guard case .application(let heard) = try thief.process(messages[0]) else { throw MLSError.otherGroup }
        #expect(heard.data == [0])
        // Nor does the sender read what it has sent: the keys are gone.
        let ratchet = try #require(alice.epoch.secretTree.ratchets[.init(alice.ownLeaf, .application)])
        #expect(ratchet.generation == 3 && ratchet.skipped.isEmpty)
    }

    @Test func aKeyThatIsNoneIsNotTakenIn() throws {
        let party = try Party(["alice"])
        var alice = try party["alice"]
        for bytes in [[UInt8](repeating: 0, count: 32), [1, 2, 3], []] {
            let person = try Person("eve")
            let bundle = try person.bundle()
            var content = bundle.keyPackage.content
            content.initKey = HPKEPublicKey(bytes)
            var options = CommitOptions()
            options.proposals = [.add(try alice.suite.sign(content, by: person.signer.key))]
            // Whoever commits sees it when the Welcome is made; whoever is asked to commit, before.
            #expect(throws: MLSError.self) { try alice.commit(options) }
            #expect(throws: MLSError.invalid(.initKeyIsValid)) {
                try alice.publicGroup.checkAlone(options.proposals[0], from: .newMemberProposal, Person.environment)
            }
            var leaf = bundle.keyPackage.leafNode.content
            leaf.encryptionKey = HPKEPublicKey(bytes)
            content = bundle.keyPackage.content
            content.leafNode = try alice.suite.sign(leaf, at: nil, by: person.signer.key)
            options.proposals = [.add(try alice.suite.sign(content, by: person.signer.key))]
            #expect(throws: MLSError.invalid(.encryptionKeyIsValid)) { try alice.commit(options) }
        }
    }
}
