import MildamCrypto
import MildamWire
import Testing

@testable import MildamMLS

/// Knows everybody but one; whoever has another credential is somebody else.
private struct Doubtful: AuthenticationService, GroupPolicy {
    var stranger: Credential?
    var refused: ProposalType?

    func isValid(_ credential: Credential, signatureKey: SignaturePublicKey) -> Bool { credential != stranger }
    func isValid(_ new: Credential, asSuccessorOf old: Credential) -> Bool { new == old }
    func client(of leaf: LeafNode) -> [UInt8] { leaf.signatureKey.bytes }
    func acceptsStanding(_ proposal: Proposal, from sender: Sender, in group: PublicGroup) -> Bool {
        proposal.type != refused
    }
    func accepts(_ review: CommitReview) -> Bool { !review.proposals.contains { $0.proposal.type == refused } }
    var maximumLifetime: UInt64 { .max }

    var environment: GroupEnvironment {
        GroupEnvironment(authentication: self, policy: self, now: { 1_700_000_000 })
    }
}

@Suite("RFC 9420, sections 5.3.1, 8.4 and 12.4.3: what the application decides, and what it has to have")
struct ApplicationTests {
    private static let mallory = Credential.basic(identity: Array("mallory".utf8))

    /// Alice, and Bob, who asks.
    private func two(_ doubtful: Doubtful = Doubtful(stranger: mallory)) throws -> (alice: Group, bob: Group) {
        let party = try Party(["alice", "bob"])
        var bob = try party["bob"]
        bob.environment = doubtful.environment
        return (try party["alice"], bob)
    }

    @Test func whoIsAddedIsAskedFor() throws {
        let (alice, bob) = try two()
        let proposal = Proposal.add(try Person("mallory").bundle().keyPackage)
        try bob.expect(.credentialRefused, for: alice.forged(proposal))
        var sender = bob
        #expect(throws: MLSError.credentialRefused) { try sender.propose(proposal) }
    }

    @Test func allMembersAreAskedForBeforeOneJoins() throws {
        let alice = try Party(["alice", "mallory"])["alice"]
        #expect(throws: MLSError.credentialRefused) {
            try PublicGroup(alice.groupInfo(), environment: Doubtful(stranger: ApplicationTests.mallory).environment)
        }
    }

    @Test func newCredentialsAreAskedFor() throws {
        var (alice, bob) = try two(Doubtful())
        var options = CommitOptions()
        options.leafChange.credential = ApplicationTests.mallory
        try bob.expect(.credentialRefused, for: alice.commit(options).commit)
        alice.discardStagedCommit()
        try bob.expect(.credentialRefused, for: alice.proposeUpdate(options.leafChange).message)
    }

    @Test func externalSendersAreAskedFor() throws {
        let (alice, bob) = try two()
        let key = try SignatureKeyPair(.x25519ChaChaPoly).publicKey
        let senders = ExternalSenders([ExternalSender(signatureKey: key, credential: ApplicationTests.mallory)])
        let extensions = Extensions([Extension(type: .externalSenders, data: senders.wireBytes)])
        try bob.expect(.credentialRefused, for: alice.forged(.groupContextExtensions(extensions)))
        let info = try Party(["alice"], extensions: extensions)["alice"].groupInfo()
        #expect(throws: MLSError.credentialRefused) {
            try PublicGroup(info, environment: Doubtful(stranger: ApplicationTests.mallory).environment)
        }
        let malformed = Extensions([Extension(type: .externalSenders, data: [1])])
        try bob.expect(.malformed(.truncated), for: alice.forged(.groupContextExtensions(malformed)))
    }

    @Test func whoseCredentialHasExpiredIsStillHeard() throws {
        let (alice, bob) = try two(Doubtful(stranger: .basic(identity: Array("alice".utf8))))
        var group = bob
        _ = try group.process(alice.forged(.application([1]), as: .privateMessage))
    }

    @Test func proposalsAreAskedFor() throws {
        let (alice, bob) = try two(Doubtful(refused: .remove))
        try bob.expect(.proposalRefused, for: alice.forged(.remove(LeafIndex(1))))
        try bob.expect(.commitRefused, for: alice.forgedCommit([.remove(LeafIndex(1))]))
        var sender = bob
        #expect(throws: MLSError.proposalRefused) { try sender.propose(.remove(LeafIndex(0))) }
    }

    @Test func presharedKeysAreThere() throws {
        let (alice, bob) = try two()
        let missing = alice.presharedKeyID(.external(id: [1]))
        try bob.expect(.missingPreSharedKey(missing), for: alice.forgedCommit([.preSharedKey(missing)]))
        let old = alice.presharedKeyID(
            .resumption(usage: .application, groupID: alice.publicGroup.context.groupID, epoch: 77)
        )
        try bob.expect(.missingPreSharedKey(old), for: alice.forgedCommit([.preSharedKey(old)]))
    }

    @Test func whatAWelcomeNeeds() throws {
        var alice = try Party(["alice"])["alice"]
        let (eve, mallory) = (try Person("eve").bundle(), try Person("mallory").bundle())
        alice.environment.presharedKey = { _ in SymmetricKey(data: [1]) }
        let id = alice.presharedKeyID(.external(id: [1]))
        var options = CommitOptions()
        options.proposals = [.add(eve.keyPackage), .preSharedKey(id)]
        options.sendsTree = false
        guard case .welcome(let welcome)? = try alice.commit(options).welcome else { throw MLSError.notWelcome }
        func join(
            _ welcome: Welcome,
            as bundle: KeyPackageBundle,
            key: SymmetricKey? = SymmetricKey(data: [1])
        ) throws(MLSError) {
            var environment = Person.environment
            environment.presharedKey = { _ in key }
            _ = try Group(joining: welcome, with: bundle, environment: environment, isKnown: { _ in false })
        }
        #expect(throws: MLSError.missingRatchetTree) { try join(welcome, as: eve) }
        #expect(throws: MLSError.missingPreSharedKey(id)) { try join(welcome, as: eve, key: nil) }
        #expect(throws: MLSError.decryptionFailed) { try join(welcome, as: eve, key: SymmetricKey(data: [2])) }
        #expect(throws: MLSError.notWelcome) { try join(welcome, as: mallory) }
        var changed = welcome
        changed.secrets[0].encryptedGroupSecrets.ciphertext = [1, 2, 3]
        #expect(throws: MLSError.decryptionFailed) { try join(changed, as: eve) }
        changed.cipherSuite = CipherSuite(rawValue: 0xF000)
        #expect(throws: MLSError.unknownCipherSuite(changed.cipherSuite)) { try join(changed, as: eve) }
    }

    @Test func whatAnExternalJoinNeeds() throws {
        let alice = try Party(["alice"])["alice"]
        #expect(throws: MLSError.missingExternalPub) {
            try ExternalJoin(
                alice.groupInfo(isOpen: false),
                with: Person("eve").bundle(),
                environment: Person.environment
            )
        }
        let info = try alice.forgedInfo { $0.groupContext.cipherSuite = CipherSuite(rawValue: 0xF000) }
        #expect(throws: MLSError.unknownCipherSuite(CipherSuite(rawValue: 0xF000))) {
            try PublicGroup(info, environment: Person.environment)
        }
    }

    @Test func whatIsUnknownIsPassedOver() throws {
        let (alice, bob) = try two()
        let unknown = GREASE.values.map { Extension(type: ExtensionType(rawValue: $0), data: [1]) }
        let eve = try Person("eve").bundle().forged(
            leaf: {
                $0.capabilities.versions += GREASE.values.map(ProtocolVersion.init)
                $0.capabilities.cipherSuites += GREASE.values.map(CipherSuite.init)
                $0.capabilities.extensions += GREASE.values.map(ExtensionType.init)
                $0.capabilities.proposals += GREASE.values.map(ProposalType.init)
                $0.capabilities.credentials += GREASE.values.map(CredentialType.init)
                $0.extensions.list = unknown
            },
            content: { $0.extensions.list = unknown }
        )
        var group = bob
        _ = try group.process(alice.forged(.add(eve)))
        _ = try PublicGroup(alice.groupInfo(Extensions(unknown)), environment: Person.environment)
        // But for what all members would have to understand; each of them lists one, drawn.
        let listed = bob.publicGroup.members.flatMap(\.leaf.capabilities.extensions)
        let unlisted = try #require(unknown.first { !listed.contains($0.type) })
        try bob.expectRefusal(
            .leafSupportsGroupExtensions,
            of: alice.forged(.groupContextExtensions(Extensions([unlisted])))
        )
    }
}
