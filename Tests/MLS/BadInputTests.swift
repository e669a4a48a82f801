import MildamCrypto
import MildamWire
import Testing

@testable import MildamMLS

/// What no rule of the RFC's is about, or no rule alone: each has its own error, and changes nothing.
@Suite("RFC 9420: bad input")
struct BadInputTests {
    private func message() throws -> (Group, MLSMessage) {
        let party = try Party(["alice", "bob"])
        return (try party["bob"], try party["alice"].forged(.application([1, 2, 3]), as: .privateMessage))
    }

    /// A private message after changes that need no key.
    private func changed(
        _ message: MLSMessage,
        group: GroupID? = nil,
        epoch: UInt64? = nil,
        type: ContentType? = nil,
        data: [UInt8]? = nil,
        ciphertext: ([UInt8]) -> [UInt8] = { $0 },
        senderData: ([UInt8]) -> [UInt8] = { $0 }
    ) throws -> MLSMessage {
        guard case .privateMessage(let message) = message else { throw MLSError.notForMembers }
        return .privateMessage(
            PrivateMessage(
                groupID: group ?? message.groupID,
                epoch: epoch ?? message.epoch,
                contentType: type ?? message.contentType,
                authenticatedData: data ?? message.authenticatedData,
                encryptedSenderData: senderData(message.encryptedSenderData),
                ciphertext: ciphertext(message.ciphertext)
            )
        )
    }

    // MARK: Bytes

    @Test func cutShort() throws {
        let party = try Party(["alice", "bob"])
        let messages = try [
            message().1, party["alice"].forged(.remove(LeafIndex(1))), party["alice"].forgedCommit(),
            .groupInfo(party["alice"].groupInfo()), .keyPackage(Person("eve").bundle().keyPackage),
        ]
        for bytes in messages.map(\.wireBytes) {
            for count in bytes.indices {
                #expect(throws: WireError.truncated) { try MLSMessage(wireBytes: Array(bytes.prefix(count))) }
            }
        }
    }

    @Test func tooLong() throws {
        let bytes = try message().1.wireBytes
        #expect(throws: WireError.trailingBytes(count: 1)) { try MLSMessage(wireBytes: bytes + [0]) }
        var (group, _) = try message()
        for padding in [Group.longestMessage, .max] {
            #expect(throws: MLSError.tooLong) { try group.protect([1], padding: padding) }
        }
        let long = [UInt8](repeating: 0, count: Group.longestMessage + 1)
        #expect(throws: MLSError.tooLong) { try group.protect(long) }
        #expect(throws: MLSError.tooLong) { try group.protect([], authenticatedData: long) }
        #expect(throws: MLSError.tooLong) { try group.propose(.remove(LeafIndex(0)), authenticatedData: long) }
        #expect(group.epoch.secretTree.ratchets.isEmpty)
        // More than that nobody signs; nor is it taken for signed, for the label could not be written before four times as much.
        let signed = [UInt8](repeating: 0, count: Suite.longestSigned + 1)
        let (suite, signer) = (group.suite, group.signer)
        #expect(throws: MLSError.tooLong) { try suite.sign(signed, .framedContent, by: signer) }
        let signature = try signer.signature(for: suite.signContent("FramedContentTBS", signed))
        let isValid = suite.isValid(signature, of: signed, .framedContent, by: SignaturePublicKey(signer.publicKey))
        #expect(!isValid)
    }

    @Test func notMinimal() throws {
        var bytes = try message().1.wireBytes
        try #require(bytes[4] == 5)
        bytes.replaceSubrange(4...4, with: [0x40, 5])
        #expect(throws: WireError.lengthNotMinimal) { try MLSMessage(wireBytes: bytes) }
    }

    @Test(arguments: [
        (1, "version"), (3, "wire_format"), (18, "content_type"),
    ])
    func unknownNumber(place: Int, field: String) throws {
        var bytes = try message().1.wireBytes
        bytes[place] = 9
        #expect(throws: WireError.invalidValue(field: field)) { try MLSMessage(wireBytes: bytes) }
    }

    @Test func neitherThereNorNot() throws {
        #expect(throws: WireError.invalidValue(field: "present")) { try Commit(wireBytes: [0, 2]) }
    }

    @Test func versionOfAKeyPackage() throws {
        let keyPackage = try Person("eve").bundle().forged(content: { $0.version = ProtocolVersion(rawValue: 2) })
        #expect(throws: WireError.invalidValue(field: "version")) {
            try MLSMessage(wireBytes: MLSMessage.keyPackage(keyPackage).wireBytes)
        }
    }

    @Test func unknownKindOfProposalOrCredential() throws {
        for value in GREASE.values {
            let type = ProposalType(rawValue: value).wireBytes
            #expect(throws: WireError.invalidValue(field: "proposal_type")) { try Proposal(wireBytes: type + [0]) }
            #expect(throws: WireError.invalidValue(field: "credential_type")) { try Credential(wireBytes: type + [0]) }
        }
    }

    @Test func unmergedLeavesOutOfOrder() throws {
        for leaves in [[2, 1], [1, 1]] {
            let node = ParentNode(encryptionKey: HPKEPublicKey([]), unmergedLeaves: leaves.map { LeafIndex($0) })
            #expect(throws: WireError.invalidValue(field: "unmerged_leaves")) {
                try ParentNode(wireBytes: node.wireBytes)
            }
        }
    }

    // MARK: Messages

    @Test func ofAnotherGroup() throws {
        let (bob, message) = try message()
        try bob.expect(.otherGroup, for: changed(message, group: GroupID([1])))
        let other = try Group(creating: GroupID([1]), with: Person("eve").bundle(), environment: Person.environment)
        try bob.expect(.otherGroup, for: other.forged(.remove(LeafIndex(0))))
    }

    @Test(arguments: [0, 2, UInt64.max])
    func ofAnotherEpoch(epoch: UInt64) throws {
        let (bob, message) = try message()
        try bob.expect(.otherEpoch(epoch), for: changed(message, epoch: epoch))
        var alice = try Party(["alice"])["alice"]
        alice.publicGroup.context.epoch = epoch
        try bob.expect(.otherEpoch(epoch), for: alice.forged(.remove(LeafIndex(0))))
    }

    @Test func forged() throws {
        let (bob, message) = try message()
        try bob.expect(.decryptionFailed, for: changed(message, ciphertext: \.flipped))
        try bob.expect(.decryptionFailed, for: changed(message, ciphertext: { _ in [] }))
        try bob.expect(.decryptionFailed, for: changed(message, senderData: \.flipped))
        try bob.expect(.decryptionFailed, for: changed(message, data: [1]))
        try bob.expect(.decryptionFailed, for: changed(message, type: .commit))
    }

    @Test func replayed() throws {
        var (bob, message) = try message()
        _ = try bob.process(message)
        try bob.expect(.keyConsumed, for: message)
    }

    @Test func reordered() throws {
        var party = try Party(["alice", "bob"])
        let bob = try party["bob"]
        let first = try party.commit(by: "alice").commit
        let second = try party.commit(by: "alice").commit
        try bob.expect(.otherEpoch(2), for: second)
        var late = bob
        for message in [first, second] { _ = try late.process(message.copied) }
        try late.expect(.otherEpoch(1), for: first)
    }

    @Test func fromWhoWasRemoved() throws {
        var party = try Party(["alice", "bob", "carol"])
        var bob = try party["bob"]
        var options = CommitOptions()
        options.proposals = [.remove(bob.ownLeaf)]
        try party.commit(by: "alice", options)
        let carol = try party["carol"]
        // In the epoch that Bob knows, and as if he knew the one after it.
        try carol.expect(.otherEpoch(1), for: bob.forged(.proposal(.remove(LeafIndex(0))), as: .privateMessage))
        try carol.expect(.decryptionFailed, for: changed(bob.forged(.application([1]), as: .privateMessage), epoch: 2))
        bob.publicGroup = carol.publicGroup
        try carol.expectRefusal(.membershipTagIsValid, of: bob.forged(.remove(LeafIndex(0))))
    }

    @Test func allZeroKeyAgreement() throws {
        let party = try Party(["alice", "bob", "carol"])
        let zeros = [UInt8](repeating: 0, count: 32)
        let commit = try party["alice"].forgedCommit {
            $0.path = { path in
                for (node, count) in path.nodes.map(\.encryptedPathSecrets.count).enumerated() {
                    for place in 0..<count { path.nodes[node].encryptedPathSecrets[place].kemOutput = zeros }
                }
            }
        }
        try party["bob"].expect(.decryptionFailed, for: commit)
        let join = try party["alice"].forgedJoin(Person("dave").bundle()) {
            $0.listed = [.proposal(.externalInit(kemOutput: zeros))]
        }
        try party["bob"].expectRefusal(.externalInitIsValid, of: join)
    }

    @Test func aMillionLeaves() throws {
        let alice = try Party(["alice"])["alice"]
        let leaf = alice.publicGroup.tree.nodes[0]
        let tree = RatchetTree.Nodes([Node?](repeating: nil, count: 1 << 21) + [leaf]).wireBytes
        let info = try alice.groupInfo(sendsTree: false)
        #expect(throws: MLSError.invalid(.ratchetTreeIsBounded)) {
            try PublicGroup(info, ratchetTree: tree, environment: Person.environment)
        }
        // Leaves that are announced, and not there.
        #expect(throws: MLSError.malformed(.truncated)) {
            try PublicGroup(info, ratchetTree: [0xBF, 0xFF, 0xFF, 0xFF], environment: Person.environment)
        }
    }

    @Test(arguments: [1001, UInt32.max - 1, .max])
    func aJumpForward(generation: UInt32) throws {
        let party = try Party(["alice", "bob"])
        let alice = try party["alice"]
        let content = try alice.authenticate(alice.framed(.application([1]), []), .privateMessage)
        var secretTree = alice.epoch.secretTree
        let message = try alice.suite.makePrivate(
            content,
            from: alice.ownLeaf,
            generation,
            secretTree.next(alice.ownLeaf, .application, alice.suite).key,
            senderDataSecret: alice.epoch.secrets.senderData,
            padding: 0,
            .system
        )
        try party["bob"].expect(.tooFarAhead, for: .privateMessage(message))
    }

    @Test func aProposalTwice() throws {
        let party = try Party(["alice", "bob"])
        var bob = try party["bob"]
        let message = try party["alice"].forged(.remove(LeafIndex(1)))
        for _ in 0..<2 { _ = try bob.process(message) }
        #expect(bob.publicGroup.proposals.list.count == 1)
    }

    @Test func moreProposalsThanAreKept() throws {
        var store = ProposalStore()
        for number in 0..<ProposalStore.maximumCount {
            let reference = ProposalRef([UInt8(number >> 8), UInt8(number & 0xFF)])
            try store.add(.remove(LeafIndex(1)), from: .member(LeafIndex(0)), reference)
        }
        #expect(throws: MLSError.tooManyProposals) {
            try store.add(.remove(LeafIndex(1)), from: .member(LeafIndex(0)), ProposalRef([1, 2, 3]))
        }
    }

    @Test(arguments: [Group.Framing.publicMessage, .privateMessage])
    func anOwnCommitThatWasGivenUp(framing: Group.Framing) throws {
        var alice = try Party(["alice", "bob"])["alice"]
        var options = CommitOptions()
        options.framing = framing
        let commit = try alice.commit(options).commit
        alice.discardStagedCommit()
        try alice.expect(.ownCommitLost, for: commit)
    }

    @Test func messagesForOthers() throws {
        let (bob, _) = try message()
        try bob.expect(.notForMembers, for: .keyPackage(Person("eve").bundle().keyPackage))
        try bob.expect(.notForMembers, for: .groupInfo(bob.groupInfo()))
    }
}
