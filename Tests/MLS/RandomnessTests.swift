import MLSInterop
import MildamCrypto
import MildamWire
import Testing

@testable import MildamMLS

@Suite("What is drawn comes from the environment, and can be played again")
struct RandomnessTests {
    /// All that is sent in the life of a group: enough members for work that is done side by side.
    private func sent(_ suite: CipherSuite, _ randomness: Randomness) throws -> [[UInt8]] {
        var environment = Person.environment
        environment.randomness = randomness
        func bundle(_ name: String) throws -> KeyPackageBundle {
            try KeyPackageBundle(
                .basic(identity: Array(name.utf8)),
                signer: SignatureKeyPair(suite, randomness: randomness),
                lifetime: Person.lifetime,
                grease: .all,
                randomness: randomness
            )
        }
        let others = try (0..<20).map { try bundle("member \($0)") }
        var alice = try Group(with: bundle("alice"), environment: environment)
        var options = CommitOptions()
        options.proposals = others.map { .add($0.keyPackage) }
        options.proposals.append(.preSharedKey(alice.presharedKeyID(.external(id: [1]))))
        options.leafChange.signer = try SignatureKeyPair(suite, randomness: randomness)
        alice.environment.presharedKey = { _ in SymmetricKey(data: [1]) }
        let added = try alice.commit(options)
        try alice.mergeStagedCommit()
        let update = try alice.proposeUpdate().message
        let commit = try alice.commit().commit
        try alice.mergeStagedCommit()
        let said = try alice.protect([1, 2, 3])
        let info = try alice.groupInfo()
        let join = try ExternalJoin(info, with: bundle("eve"), environment: environment)
        let welcome = try #require(added.welcome)
        return [added.commit, welcome, update, commit, said, .groupInfo(info), join.commit].map(\.wireBytes)
            + others.map(\.keyPackage.wireBytes)
    }

    @Test(arguments: [CipherSuite.x25519AES128, .x25519ChaChaPoly, .x448AES256])
    func theSameIsSentAgain(suite: CipherSuite) throws {
        let first = try sent(suite, PlayedRandomness.source(seed: 1))
        let again = try sent(suite, PlayedRandomness.source(seed: 1))
        let other = try sent(suite, PlayedRandomness.source(seed: 2))
        for (place, message) in first.enumerated() {
            #expect(again[place] == message, "\(place)")
            #expect(other[place] != message, "\(place)")
        }
        #expect(first.count == again.count && first.count == 27)
    }

    /// A signature with ECDSA draws on its own; the keys do not.
    @Test(arguments: [CipherSuite.p256AES128, .p384AES256, .p521AES256])
    func keysOfTheCurvesOfNISTAreDrawnAgain(suite: CipherSuite) throws {
        func keys(_ seed: UInt8) throws -> [[UInt8]] {
            let randomness = PlayedRandomness.source(seed: seed)
            let signer = try SignatureKeyPair(suite, randomness: randomness)
            let bundle = try KeyPackageBundle(
                .basic(identity: [1]),
                signer: signer,
                lifetime: Person.lifetime,
                randomness: randomness
            )
            let package = bundle.keyPackage
            return [signer.publicKey.bytes, package.initKey.bytes, package.leafNode.encryptionKey.bytes]
        }
        let (first, again, other) = (try keys(1), try keys(1), try keys(2))
        #expect(first == again && Set(first).isDisjoint(with: other) && Set(first).count == 3)
    }

    @Test func theSystemsIsNeverTheSame() throws {
        #expect(Randomness.system.isSystem && !PlayedRandomness.source(seed: 1).isSystem)
        #expect(Randomness.system.bytes(count: 32) != Randomness.system.bytes(count: 32))
        let (first, second) = (try SignatureKeyPair(.x25519AES128), try SignatureKeyPair(.x25519AES128))
        #expect(first.publicKey != second.publicKey)
    }
}
