import MildamCrypto
import MildamWire
import Testing

@testable import MildamMLS

@Suite("RFC 9420, sections 11, 12 and 15: the life of a group")
struct GroupTests {
    @Test(arguments: CipherSuite.usable)
    func threePeopleTalk(suite: CipherSuite) throws {
        var party = try Party(["alice", "bob", "carol"], suite)
        var alice = try party["alice"]
        let message = try alice.protect(Array("hello".utf8), authenticatedData: [7], padding: 100)
        party.set("alice", alice)
        for name in ["bob", "carol"] {
            var group = try party[name]
            guard case .application(let heard) = try group.process(message.copied) else {
                Issue.record("\(name) heard nothing")
                continue
            }
            #expect(heard.data == Array("hello".utf8) && heard.authenticatedData == [7])
            #expect(heard.sender == alice.ownLeaf && heard.epoch == 1)
            #expect(throws: MLSError.keyConsumed) { try group.process(message) }
        }
        guard case .ownMessage(nil) = try alice.process(message) else {
            Issue.record("alice took her own message for another's")
            return
        }
        try party.commit(by: "bob")
        try party.agree()
    }

    @Test func aCommitCountsWhenItIsMerged() throws {
        var party = try Party(["alice", "bob"])
        var alice = try party["alice"]
        let before = alice.epochAuthenticator
        _ = try alice.commit()
        #expect(alice.epochAuthenticator == before && alice.publicGroup.context.epoch == 1)
        #expect(throws: MLSError.commitPending) { try alice.commit() }
        #expect(throws: MLSError.commitPending) { try alice.protect([1]) }
        alice.discardStagedCommit()
        #expect(throws: MLSError.nothingPending) { try alice.mergeStagedCommit() }
        let second = try alice.commit()
        try alice.mergeStagedCommit()
        #expect(alice.publicGroup.context.epoch == 2 && alice.epochAuthenticator != before)
        party.set("alice", alice)
        try party.deliver(second.commit, but: ["alice"])
        try party.agree()
    }

    @Test func whoIsRemovedReadsNoMore() throws {
        var party = try Party(["alice", "bob", "carol", "dave"])
        let bob = try party["bob"]
        var options = CommitOptions()
        options.proposals = [.remove(bob.ownLeaf)]
        try party.commit(by: "carol", options)
        #expect(party.groups["bob"] == nil)
        try party.agree()
        var alice = try party["alice"]
        let message = try alice.protect([1, 2, 3])
        var ghost = bob
        #expect(throws: MLSError.otherEpoch(2)) { try ghost.process(message.copied) }
    }

    @Test func proposalsOfOthersAreCommitted() throws {
        var party = try Party(["alice", "bob", "carol"])
        var bob = try party["bob"]
        let (update, _) = try bob.proposeUpdate()
        party.set("bob", bob)
        try party.deliver(update, but: ["bob"])
        var carol = try party["carol"]
        #expect(throws: MLSError.proposalsPending) { try carol.protect([1]) }
        try party.commit(by: "carol")
        try party.agree()
        #expect(try party["bob"].proposedKeys.isEmpty)
        try party.commit(by: "bob")
        try party.agree()
    }

    @Test func somebodyJoinsFromOutside() throws {
        var party = try Party(["alice", "bob", "carol"])
        let info = try party["alice"].groupInfo()
        let dave = try Person("dave")
        let join = try ExternalJoin(info, with: dave.bundle(), environment: Person.environment)
        try party.deliver(join.commit)
        party.set("dave", join.group)
        try party.agree()
        // And again, in the place of the earlier appearance.
        let again = try ExternalJoin(
            party["bob"].groupInfo(),
            with: dave.bundle(),
            replacing: join.group.ownLeaf,
            environment: Person.environment
        )
        party.set("dave", nil)
        try party.deliver(again.commit)
        party.set("dave", again.group)
        try party.agree()
        #expect(try party["alice"].publicGroup.members.count == 4)
    }

    @Test func whoeverIsOutsideMayPropose() throws {
        let service = try SignatureKeyPair(.x25519ChaChaPoly)
        var party = try Party(["alice", "bob"])
        let senders = ExternalSenders([
            ExternalSender(signatureKey: service.publicKey, credential: .basic(identity: [1]))
        ])
        var options = CommitOptions()
        options.proposals = [
            .groupContextExtensions(Extensions([Extension(type: .externalSenders, data: senders.wireBytes)]))
        ]
        try party.commit(by: "alice", options)
        let context = try party["alice"].publicGroup.context
        let removed = try party["bob"].ownLeaf
        try party.deliver(ExternalProposal.message(.remove(removed), to: context, from: 0, signer: service))
        let erin = try Person("erin").bundle()
        try party.deliver(ExternalProposal.addition(of: erin, to: context.groupID, epoch: context.epoch))
        let messages = try party.commit(by: "alice")
        guard case .welcome(let welcome)? = messages.welcome else { throw MLSError.notWelcome }
        party.set(
            "erin",
            try Group(joining: welcome, with: erin, environment: Person.environment, isKnown: { _ in false })
        )
        try party.agree()
        #expect(party.groups.keys.sorted() == ["alice", "erin"])
        #expect(throws: MLSError.invalid(.externalProposalIsOfAllowedType)) {
            try ExternalProposal.message(
                .externalInit(kemOutput: []),
                to: context,
                from: 0,
                signer: service
            )
        }
    }

    @Test func lateMessagesOfTheEpochBeforeAreRead() throws {
        var party = try Party(["alice", "bob"])
        var alice = try party["alice"]
        let late = try alice.protect([1])
        party.set("alice", alice)
        try party.commit(by: "bob")
        var bob = try party["bob"]
        guard case .application(let heard) = try bob.process(late.copied) else { throw MLSError.otherGroup }
        #expect(heard.data == [1] && heard.epoch == 1)
        #expect(throws: MLSError.keyConsumed) { try bob.process(late) }
        try party.commit(by: "bob")
        bob = try party["bob"]
        #expect(throws: MLSError.otherEpoch(1)) { try bob.process(late) }
    }
}

@Suite("RFC 9420, sections 11.2 and 11.3: groups that are made of others")
struct LinkedGroupTests {
    private func welcome(_ linked: LinkedGroup) throws -> Welcome {
        guard case .welcome(let welcome)? = try linked.welcome?.copied else { throw MLSError.notWelcome }
        return welcome
    }

    @Test func aGroupIsMadeAnewWithAnotherSuite() throws {
        var party = try Party(["alice", "bob", "carol"])
        let reInit = ReInit(groupID: GroupID([9]), cipherSuite: .p256AES128)
        var options = CommitOptions()
        options.proposals = [.reInit(reInit)]
        try party.commit(by: "alice", options)
        var alice = try party["alice"]
        #expect(alice.ending == .reInitialized(reInit))
        #expect(throws: MLSError.inactive) { try alice.protect([1]) }
        #expect(throws: MLSError.inactive) { try alice.commit() }

        // Another one than who committed it makes the new group.
        let people = try ["alice", "bob", "carol"].map { try Person($0, .p256AES128).bundle() }
        let environment = ByName.environment
        let linked = try LinkedGroup(
            reInitializing: party["bob"],
            with: people[1],
            [people[0].keyPackage, people[2].keyPackage],
            environment: environment
        )
        for (name, bundle) in [("alice", people[0]), ("carol", people[2])] {
            let group = try Group(
                joining: welcome(linked),
                with: bundle,
                madeOf: party[name],
                environment: environment,
                isKnown: { _ in false }
            )
            #expect(group.epochAuthenticator == linked.group.epochAuthenticator)
            #expect(group.publicGroup.context.cipherSuite == .p256AES128)
            #expect(throws: MLSError.self) {
                try Group(joining: welcome(linked), with: bundle, environment: environment, isKnown: { _ in false })
            }
        }
        #expect(throws: MLSError.invalid(.reInitializedGroupHasAllMembers)) {
            try LinkedGroup(
                reInitializing: party["bob"],
                with: people[1],
                [people[0].keyPackage],
                environment: environment
            )
        }
    }

    @Test func someMembersMakeABranch() throws {
        let party = try Party(["alice", "bob", "carol"])
        let people = try ["alice", "carol", "eve"].map { try Person($0).bundle() }
        let environment = ByName.environment
        let linked = try LinkedGroup(
            branching: party["alice"],
            with: people[0],
            [people[1].keyPackage],
            environment: environment
        )
        let group = try Group(
            joining: welcome(linked),
            with: people[1],
            madeOf: party["carol"],
            environment: environment,
            isKnown: { _ in false }
        )
        #expect(group.epochAuthenticator == linked.group.epochAuthenticator)
        #expect(throws: MLSError.invalid(.branchHasSomeMembers)) {
            try LinkedGroup(
                branching: party["alice"],
                with: people[0],
                [people[2].keyPackage],
                environment: environment
            )
        }
    }
}

/// Clients are who their credential says.
struct ByName: AuthenticationService {
    func isValid(_ credential: Credential, signatureKey: SignaturePublicKey) -> Bool { true }
    func isValid(_ new: Credential, asSuccessorOf old: Credential) -> Bool { new == old }
    func client(of leaf: LeafNode) -> [UInt8] { leaf.credential.wireBytes }

    static var environment: GroupEnvironment {
        var environment = Person.environment
        environment.authentication = ByName()
        return environment
    }
}

@Suite("RFC 9420, section 12.4: a group without its secrets")
struct PublicGroupTests {
    @Test func aRelayFollowsWhatMembersDo() throws {
        var party = try Party(["alice", "bob", "carol"])
        let environment = Person.environment
        var relay = try PublicGroup(party["alice"].groupInfo(), environment: environment)
        func follow(_ message: MLSMessage) throws {
            guard case .publicMessage(let message) = try message.copied else { throw MLSError.notForMembers }
            try relay.process(message, environment: environment)
        }
        var options = CommitOptions()
        options.framing = .publicMessage
        try follow(party.commit(by: "bob", options).commit)
        #expect(try relay.context == party["alice"].publicGroup.context)

        var carol = try party["carol"]
        let (update, _) = try carol.proposeUpdate(framing: .publicMessage)
        party.set("carol", carol)
        try party.deliver(update, but: ["carol"])
        try follow(update)
        try follow(party.commit(by: "alice", options).commit)
        let join = try ExternalJoin(party["bob"].groupInfo(), with: Person("dave").bundle(), environment: environment)
        try party.deliver(join.commit)
        try follow(join.commit)
        #expect(try relay.context == party["alice"].publicGroup.context)
        #expect(relay.interimTranscriptHash == join.group.publicGroup.interimTranscriptHash)
        #expect(relay.members.count == 4)
        #expect(throws: MLSError.otherEpoch(3)) { try follow(join.commit) }
    }
}
