import MLSInterop
import MildamCrypto
import MildamWire
import Testing

@testable import MildamMLS

/// Alice proposes to add Eve; Bob looks.
@Suite("RFC 9420, section 7.3: leaves that are refused")
struct LeafRefusalTests {
    private static let unknown = ExtensionType(rawValue: 0xF000)

    private func refuse(
        _ rule: ValidationRule,
        in party: Party? = nil,
        _ change: (inout LeafNodeContent) -> Void
    ) throws {
        let party = try party ?? Party(["alice", "bob"])
        let keyPackage = try Person("eve").bundle().forged(leaf: change)
        try party["bob"].expectRefusal(rule, of: party["alice"].forged(.add(keyPackage)))
    }

    private func certified(_ leaf: inout LeafNodeContent, _ kind: Certificate.Kind, key: [UInt8]? = nil) {
        let certificate = Certificate.of(key ?? leaf.signatureKey.bytes, kind)
        leaf.credential = .x509(certificates: [Credential.Certificate(data: certificate)])
    }

    @Test func aLeafThatNothingWasChangedOfIsTaken() throws {
        let party = try Party(["alice", "bob"])
        var bob = try party["bob"]
        let keyPackage = try Person("eve").bundle().forged(leaf: { certified(&$0, .ed25519) })
        _ = try bob.process(party["alice"].forged(.add(keyPackage)))
    }

    @Test(arguments: [
        (CipherSuite.x25519AES128, Certificate.Kind.ed25519), (.x448AES256, .ed448), (.p256AES128, .p256),
        (.p384AES256, .p384), (.p521AES256, .p521),
    ])
    func certificatesOfTheSuiteAreTaken(suite: CipherSuite, kind: Certificate.Kind) throws {
        var alice = try Party(["alice"], suite)["alice"]
        var options = CommitOptions()
        options.proposals = [.add(try Person("eve", suite).bundle().forged(leaf: { certified(&$0, kind) }))]
        _ = try alice.commit(options)
    }

    @Test func certificateHasSignatureKey() throws {
        try refuse(.certificateHasSignatureKey) { certified(&$0, .ed25519, key: [UInt8](repeating: 7, count: 32)) }
        try refuse(.certificateHasSignatureKey) { $0.credential = .x509(certificates: []) }
        try refuse(.certificateHasSignatureKey) {
            $0.credential = .x509(certificates: [Credential.Certificate(data: [0x30, 0])])
        }
    }

    @Test func certificateFitsSuite() throws {
        // As many bytes, and for key agreement.
        try refuse(.certificateFitsSuite) { certified(&$0, .x25519) }
    }

    @Test func credentialIsSupportedByAll() throws {
        let party = try Party(["alice", "bob", "carol"], capabilities: Capabilities(credentials: [.basic]))
        let keyPackage = try Person("eve").bundle().forged(leaf: { certified(&$0, .ed25519) })
        let alice = try party["alice"]
        try party["bob"].expectRefusal(.credentialIsSupportedByAll, ofCommitBy: alice, [.add(keyPackage)]) {
            $0.hasPath = false
        }
    }

    @Test(arguments: [[], [1, 2, 3]] + LowOrderKey.x25519)
    func encryptionKeyIsValid(key: [UInt8]) throws {
        try refuse(.encryptionKeyIsValid) { $0.encryptionKey = HPKEPublicKey(key) }
    }

    @Test func encryptionKeyIsUnique() throws {
        let party = try Party(["alice", "bob", "carol"])
        let tree = try party["alice"].publicGroup.tree
        let taken = [tree[LeafIndex(2)]?.encryptionKey, tree.parent(at: tree.shape.root)?.encryptionKey]
        for key in taken {
            let key = try #require(key)
            let keyPackage = try Person("eve").bundle().forged(leaf: { $0.encryptionKey = key })
            let alice = try party["alice"]
            try party["bob"].expectRefusal(.encryptionKeyIsUnique, ofCommitBy: alice, [.add(keyPackage)]) {
                $0.hasPath = false
            }
        }
    }

    @Test func keyPackageLeafHasItsSource() throws {
        try refuse(.keyPackageLeafHasItsSource) { $0.source = .update }
        try refuse(.keyPackageLeafHasItsSource) { $0.source = .commit(parentHash: []) }
    }

    @Test func leafCredentialIsListed() throws {
        try refuse(.leafCredentialIsListed) { $0.capabilities.credentials = [.x509] }
    }

    @Test func leafExtensionsAreDistinct() throws {
        let twice = [Extension](repeating: Extension(type: .applicationID, data: [0]), count: 2)
        try refuse(.leafExtensionsAreDistinct) { $0.extensions.list = twice }
    }

    @Test func leafExtensionsAreListed() throws {
        try refuse(.leafExtensionsAreListed) {
            $0.extensions.list = [Extension(type: LeafRefusalTests.unknown, data: [])]
        }
    }

    @Test func leafMeetsRequiredCapabilities() throws {
        let required = [
            RequiredCapabilities(extensionTypes: [LeafRefusalTests.unknown]),
            RequiredCapabilities(proposalTypes: [ProposalType(rawValue: 0xF000)]),
            RequiredCapabilities(credentialTypes: [CredentialType(rawValue: 0xF000)]),
        ]
        for required in required {
            let party = try Party(
                ["alice", "bob"],
                capabilities: Capabilities(
                    extensions: required.extensionTypes,
                    proposals: required.proposalTypes,
                    credentials: [.basic] + required.credentialTypes
                ),
                extensions: Extensions([Extension(type: .requiredCapabilities, data: required.wireBytes)])
            )
            try refuse(.leafMeetsRequiredCapabilities, in: party) { _ in }
            // Nor do members agree to what one of them cannot do.
            let other = try Party(["alice", "bob"])
            let wanted = Extension(type: .requiredCapabilities, data: required.wireBytes)
            let message = try other["alice"].forged(.groupContextExtensions(Extensions([wanted])))
            try other["bob"].expectRefusal(.leafMeetsRequiredCapabilities, of: message)
        }
    }

    @Test func leafSignatureIsValid() throws {
        let party = try Party(["alice", "bob"])
        let eve = try Person("eve").bundle()
        let leaf = eve.keyPackage.leafNode
        let keyPackage = try eve.forged(content: {
            $0.leafNode = LeafNode(leaf.content, signature: leaf.signature.flipped)
        })
        try party["bob"].expectRefusal(.leafSignatureIsValid, of: party["alice"].forged(.add(keyPackage)))
    }

    @Test func leafSignatureIsValidWhereItIs() throws {
        // An Update that was signed for another place, or another group, or with what is no key.
        let party = try Party(["alice", "bob", "carol"])
        let alice = try party["alice"]
        try party["bob"].expectRefusal(
            .leafSignatureIsValid,
            of: alice.forgedUpdate { $0.signatureKey = SignaturePublicKey([1, 2, 3]) }
        )
        var content = try #require(alice.publicGroup.tree[alice.ownLeaf]).content
        content.encryptionKey = HPKEPublicKey(HPKE.PrivateKey.generate(kem: alice.suite.hpke.kem).publicKey.serialized)
        content.source = .update
        let group = alice.publicGroup.context.groupID
        for place in [LeafPlace(group: group, leaf: LeafIndex(1)), LeafPlace(group: GroupID([1]), leaf: alice.ownLeaf)]
        {
            let leaf = try alice.suite.sign(content, at: place, by: alice.signer)
            try party["bob"].expectRefusal(.leafSignatureIsValid, of: alice.forged(.update(leaf)))
        }
    }

    @Test func leafSupportsCredentialsInUse() throws {
        var party = try Party(["alice", "bob"])
        let carol = try Person("carol").bundle().forged(leaf: { certified(&$0, .ed25519) })
        var options = CommitOptions()
        options.proposals = [.add(carol)]
        try party.commit(by: "alice", options)
        let eve = try Person("eve").bundle(capabilities: Capabilities(credentials: [.basic])).keyPackage
        try party["bob"].expectRefusal(.leafSupportsCredentialsInUse, ofCommitBy: party["alice"], [.add(eve)])
    }

    @Test func leafSupportsGroup() throws {
        try refuse(.leafSupportsGroup) { $0.capabilities.cipherSuites = [.x25519AES128] }
        try refuse(.leafSupportsGroup) { $0.capabilities.versions = [ProtocolVersion(rawValue: 2)] }
    }

    @Test func leafSupportsGroupExtensions() throws {
        let party = try Party(
            ["alice", "bob"],
            capabilities: Capabilities(extensions: [LeafRefusalTests.unknown]),
            extensions: Extensions([Extension(type: LeafRefusalTests.unknown, data: [])])
        )
        try refuse(.leafSupportsGroupExtensions, in: party) { _ in }
    }

    @Test func lifetimeIsBounded() throws {
        var party = try Party(["alice", "bob"])
        var bob = try party["bob"]
        bob.environment.policy = Patient()
        party.set("bob", bob)
        try refuse(.lifetimeIsBounded, in: party) {
            $0.source = .keyPackage(Lifetime(notBefore: 1_699_000_000, notAfter: 1_699_000_000 + Patient.lifetime + 1))
        }
        try refuse(.lifetimeIsBounded) { $0.source = .keyPackage(Lifetime(notBefore: 5, notAfter: 4)) }
    }

    @Test func lifetimeIsBoundedInTrees() throws {
        var environment = Person.environment
        environment.policy = Patient()
        let info = try Party(["alice", "bob"])["alice"].groupInfo()
        #expect(throws: MLSError.invalid(.lifetimeIsBounded)) { try PublicGroup(info, environment: environment) }
    }

    @Test func lifetimeIsNow() throws {
        let party = try Party(["alice", "bob"])
        let lifetimes = [
            Lifetime(notBefore: 1_699_000_000, notAfter: 1_699_999_999),
            Lifetime(notBefore: 1_700_000_001, notAfter: 1_701_000_000),
        ]
        for lifetime in lifetimes {
            var alice = try party["alice"]
            let eve = try Person("eve").bundle(lifetime: lifetime).keyPackage
            #expect(throws: MLSError.invalid(.lifetimeIsNow)) { try alice.propose(.add(eve)) }
            let isUnchanged = try GroupState(alice) == GroupState(party["alice"])
            #expect(isUnchanged)
            // What has ended on the way is taken, so that members do not part.
            var bob = try party["bob"]
            _ = try bob.process(alice.forged(.add(eve)))
        }
    }

    @Test func signatureKeyIsUnique() throws {
        var party = try Party(["alice", "bob", "carol"])
        // Bob, once more, and as somebody else.
        let eve = try Person("eve")
        let again = try eve.bundle()
        var bob = try party["bob"]
        let keyPackage = try again.forged(
            leaf: { $0.signatureKey = SignaturePublicKey(bob.signer.publicKey) },
            signedBy: bob.signer
        )
        bob.environment.authentication = ByName()
        party.set("bob", bob)
        try bob.expectRefusal(.signatureKeyIsUnique, ofCommitBy: party["alice"], [.add(keyPackage)])
    }

    @Test func signatureKeyIsUniqueInPaths() throws {
        let party = try Party(["alice", "bob", "carol"])
        let bob = try party["bob"].signer
        try party["carol"].expectRefusal(.signatureKeyIsUnique, ofCommitBy: party["alice"]) {
            $0.leafSigner = bob
            $0.leafContent = { $0.signatureKey = SignaturePublicKey(bob.publicKey) }
        }
    }

    @Test func leafSignatureIsValidOfAnotherKey() throws {
        // The leaf names a new key, and is signed with the old one.
        let party = try Party(["alice", "bob", "carol"])
        let new = try SignatureKeyPair(.x25519ChaChaPoly).publicKey
        try party["carol"].expectRefusal(.leafSignatureIsValid, ofCommitBy: party["alice"]) {
            $0.leafContent = { $0.signatureKey = new }
        }
    }

    @Test func updateChangesEncryptionKey() throws {
        let party = try Party(["alice", "bob"])
        let old = try #require(try party["alice"].publicGroup.tree[LeafIndex(0)]).encryptionKey
        let message = try party["alice"].forgedUpdate { $0.encryptionKey = old }
        try party["bob"].expectRefusal(.updateChangesEncryptionKey, of: message)
    }

    @Test(arguments: [LeafNodeSource.keyPackage(Person.lifetime), .commit(parentHash: [])])
    func updateLeafHasItsSource(source: LeafNodeSource) throws {
        let party = try Party(["alice", "bob"])
        let message = try party["alice"].forgedUpdate { $0.source = source }
        try party["bob"].expectRefusal(.updateLeafHasItsSource, of: message)
    }
}

/// Allows everything, but for lifetimes of more than a week.
private struct Patient: GroupPolicy {
    static let lifetime: UInt64 = 604_800

    func acceptsStanding(_ proposal: Proposal, from sender: Sender, in group: PublicGroup) -> Bool { true }
    func accepts(_ review: CommitReview) -> Bool { true }
    var maximumLifetime: UInt64 { Patient.lifetime }
}
