import MildamCrypto
import MildamWire
import Testing

@testable import MildamMLS

@Suite("RFC 9420, section 6: messages that are refused")
struct MessageRefusalTests {
    /// Alice and Bob, and a service that may propose from outside.
    private struct Served {
        let party: Party
        let service: SignatureKeyPair

        init() throws {
            service = try SignatureKeyPair(.x25519ChaChaPoly)
            let senders = ExternalSenders([
                ExternalSender(signatureKey: service.publicKey, credential: .basic(identity: [1]))
            ])
            let list = Extension(type: .externalSenders, data: senders.wireBytes)
            party = try Party(["alice", "bob"], extensions: Extensions([list]))
        }

        func message(_ body: FramedContent.Body, from place: UInt32 = 0) throws -> MLSMessage {
            try party["alice"].forged(body, from: .external(place), signedBy: service.key)
        }
    }

    @Test func applicationDataIsEncrypted() throws {
        let party = try Party(["alice", "bob"])
        let message = try party["alice"].forged(.application([1, 2, 3]))
        try party["bob"].expectRefusal(.applicationDataIsEncrypted, of: message)
        guard case .publicMessage(let open) = message else { throw MLSError.notForMembers }
        var relay = try party["bob"].publicGroup
        #expect(throws: MLSError.invalid(.applicationDataIsEncrypted)) {
            try relay.process(open, environment: Person.environment)
        }
    }

    @Test func membershipTagIsValid() throws {
        let party = try Party(["alice", "bob"])
        let (alice, bob) = (try party["alice"], try party["bob"])
        guard case .publicMessage(let message) = try alice.forged(.remove(bob.ownLeaf)) else {
            throw MLSError.notForMembers
        }
        for tag in [message.membershipTag?.flipped, [], Array(message.membershipTag?.dropLast() ?? [])] {
            let changed = PublicMessage(content: message.content, auth: message.auth, membershipTag: tag)
            try bob.expectRefusal(.membershipTagIsValid, of: .publicMessage(changed))
        }
    }

    @Test func paddingIsZero() throws {
        let party = try Party(["alice", "bob"])
        // What nobody reads of such a message is its padding.
        let message = try party["alice"].forged(.application([1, 2, 3]), as: .privateMessage) {
            $0.auth.confirmationTag = [0, 0, 1]
        }
        try party["bob"].expectRefusal(.paddingIsZero, of: message)
    }

    @Test func confirmationTagIsValid() throws {
        let party = try Party(["alice", "bob"])
        let message = try party["alice"].forgedCommit { $0.confirmationTag = { $0 = $0.flipped } }
        try party["bob"].expectRefusal(.confirmationTagIsValid, of: message)
        let empty = try party["alice"].forgedCommit { $0.confirmationTag = { $0 = [] } }
        try party["bob"].expectRefusal(.confirmationTagIsValid, of: empty)
    }

    @Test(arguments: [WireFormat.publicMessage, .privateMessage])
    func signatureIsValid(format: WireFormat) throws {
        let party = try Party(["alice", "bob"])
        let bob = try party["bob"]
        let message = try party["alice"].forged(.proposal(.remove(bob.ownLeaf)), as: format) {
            $0.auth.signature = $0.auth.signature.flipped
        }
        try bob.expectRefusal(.signatureIsValid, of: message)
        // Bob himself, who says that he is Alice.
        let other = try bob.forged(.proposal(.remove(bob.ownLeaf)), from: .member(LeafIndex(0)), as: format)
        try bob.expectRefusal(.signatureIsValid, of: other)
    }

    @Test func signatureIsValidInLateMessages() throws {
        var party = try Party(["alice", "bob"])
        let late = try party["alice"].forged(.application([1]), as: .privateMessage) {
            $0.auth.signature = $0.auth.signature.flipped
        }
        try party.commit(by: "bob")
        try party["bob"].expectRefusal(.signatureIsValid, of: late)
    }

    @Test(arguments: [WireFormat.publicMessage, .privateMessage])
    func senderIsMember(format: WireFormat) throws {
        var party = try Party(["alice", "bob", "carol"])
        let gone = try party["bob"].ownLeaf
        var options = CommitOptions()
        options.proposals = [.remove(gone)]
        try party.commit(by: "carol", options)
        let body = FramedContent.Body.proposal(.remove(LeafIndex(0)))
        let message = try party["carol"].forged(body, from: .member(gone), as: format)
        try party["alice"].expectRefusal(.senderIsMember, of: message)
        let late = try party["carol"].forged(.application([1]), from: .member(gone), as: .privateMessage)
        try party.commit(by: "carol")
        try party["alice"].expectRefusal(.senderIsMember, of: late)
    }

    @Test func externalProposalIsOfAllowedType() throws {
        let served = try Served()
        let proposal = Proposal.externalInit(kemOutput: [1])
        try served.party["bob"].expectRefusal(
            .externalProposalIsOfAllowedType,
            of: served.message(.proposal(proposal))
        )
        let leaf = try Person("eve").bundle().keyPackage.leafNode
        try served.party["bob"].expectRefusal(
            .externalProposalIsOfAllowedType,
            of: served.message(.proposal(.update(leaf)))
        )
        let context = try served.party["bob"].publicGroup.context
        #expect(throws: MLSError.invalid(.externalProposalIsOfAllowedType)) {
            try ExternalProposal.message(proposal, to: context, from: 0, signer: served.service)
        }
    }

    @Test func externalSenderIsListed() throws {
        let served = try Served()
        let body = FramedContent.Body.proposal(.remove(LeafIndex(0)))
        for place: UInt32 in [1, .max] {
            try served.party["bob"].expectRefusal(.externalSenderIsListed, of: served.message(body, from: place))
        }
        let party = try Party(["alice", "bob"])
        let message = try party["alice"].forged(body, from: .external(0), signedBy: served.service.key)
        try party["bob"].expectRefusal(.externalSenderIsListed, of: message)
    }

    @Test func externalSendersPropose() throws {
        let served = try Served()
        let body = FramedContent.Body.commit(Commit(proposals: [.proposal(.remove(LeafIndex(0)))], path: nil))
        try served.party["bob"].expectRefusal(.externalSendersPropose, of: served.message(body))
    }

    @Test func newMemberCommits() throws {
        let party = try Party(["alice", "bob"])
        let eve = try Person("eve").bundle()
        let message = try party["alice"].forged(
            .proposal(.add(eve.keyPackage)),
            from: .newMemberCommit,
            signedBy: eve.signer
        )
        try party["bob"].expectRefusal(.newMemberCommits, of: message)
    }

    @Test func newMemberProposesAdd() throws {
        let party = try Party(["alice", "bob"])
        let eve = try Person("eve").bundle()
        for body in [
            FramedContent.Body.proposal(.remove(LeafIndex(0))), .commit(Commit(proposals: [], path: nil)),
        ] {
            let message = try party["alice"].forged(body, from: .newMemberProposal, signedBy: eve.signer)
            try party["bob"].expectRefusal(.newMemberProposesAdd, of: message)
        }
    }
}
