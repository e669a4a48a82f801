import MildamCrypto
import MildamWire
import Testing

@testable import MildamMLS

/// Alice commits; Carol, on the other side of the tree, looks.
@Suite("RFC 9420, sections 7.5 and 7.6: paths that are refused")
struct PathRefusalTests {
    private func refuse(_ rule: ValidationRule, _ change: (inout ForgedCommit) -> Void) throws {
        let party = try Party(["alice", "bob", "carol", "dave"])
        try party["carol"].expectRefusal(rule, ofCommitBy: party["alice"], change: change)
    }

    @Test func aPathThatNothingWasChangedOfIsTaken() throws {
        var party = try Party(["alice", "bob", "carol", "dave"])
        let message = try party["alice"].forgedCommit()
        party.set("alice", nil)
        try party.deliver(message)
        try party.agree()
    }

    @Test func commitLeafHasItsSource() throws {
        try refuse(.commitLeafHasItsSource) { $0.leafContent = { $0.source = .update } }
        try refuse(.commitLeafHasItsSource) { $0.leafContent = { $0.source = .keyPackage(Person.lifetime) } }
    }

    @Test func commitLeafHasParentHash() throws {
        try refuse(.commitLeafHasParentHash) {
            $0.leafContent = { $0.source = .commit(parentHash: ($0.source.parentHash ?? []).flipped) }
        }
    }

    @Test(arguments: [[], [1, 2, 3], [UInt8](repeating: 9, count: 33)] + LowOrderKey.x25519)
    func pathKeysAreValid(key: [UInt8]) throws {
        // A key that Carol derives nothing for: hers are the upper ones.
        try refuse(.pathKeysAreValid) { $0.nodeKeys = { $0[0] = HPKEPublicKey(key) } }
    }

    @Test func pathSecretGivesPublicKeys() throws {
        try refuse(.pathSecretGivesPublicKeys) {
            $0.nodeKeys = {
                $0[1] = HPKEPublicKey(HPKE.PrivateKey.generate(kem: .Curve25519_HKDF_SHA256).publicKey.serialized)
            }
        }
    }

    @Test func updatePathFitsTree() throws {
        try refuse(.updatePathFitsTree) { $0.nodeKeys = { $0.append(HPKEPublicKey([UInt8](repeating: 9, count: 32))) } }
        try refuse(.updatePathFitsTree) { $0.nodeKeys = { $0.removeLast() } }
        try refuse(.updatePathFitsTree) { $0.nodeKeys = { $0 = [] } }
    }

    @Test func updatePathKeysAreDistinct() throws {
        try refuse(.updatePathKeysAreDistinct) { $0.nodeKeys = { $0[0] = $0[1] } }
    }

    @Test func updatePathKeysAreNew() throws {
        let party = try Party(["alice", "bob", "carol", "dave"])
        let taken = try #require(try party["dave"].publicGroup.tree[LeafIndex(3)]).encryptionKey
        try party["carol"].expectRefusal(.updatePathKeysAreNew, ofCommitBy: party["alice"]) {
            $0.nodeKeys = { $0[0] = taken }
        }
    }

    @Test func updatePathSecretsFitResolution() throws {
        // What is for Bob: that there is too much of it, or nothing, Carol sees as well.
        try refuse(.updatePathSecretsFitResolution) {
            $0.path = { $0.nodes[0].encryptedPathSecrets.append($0.nodes[0].encryptedPathSecrets[0]) }
        }
        try refuse(.updatePathSecretsFitResolution) { $0.path = { $0.nodes[0].encryptedPathSecrets = [] } }
    }

    @Test func updatePathSecretsFitResolutionForARelay() throws {
        let alice = try Party(["alice", "bob", "carol", "dave"])["alice"]
        let message = try alice.forgedCommit {
            $0.format = .publicMessage
            $0.path = { $0.nodes[1].encryptedPathSecrets = [] }
        }
        guard case .publicMessage(let commit) = message else { throw MLSError.notForMembers }
        var relay = alice.publicGroup
        #expect(throws: MLSError.invalid(.updatePathSecretsFitResolution)) {
            try relay.process(commit, environment: Person.environment)
        }
    }

    @Test func pathLeafHasNewKey() throws {
        let party = try Party(["alice", "bob", "carol", "dave"])
        let old = try #require(try party["alice"].publicGroup.tree[LeafIndex(0)]).encryptionKey
        try party["carol"].expectRefusal(.pathLeafHasNewKey, ofCommitBy: party["alice"]) {
            $0.leafContent = { $0.encryptionKey = old }
        }
    }

    @Test func pathLeafHasNewKeyFromOutside() throws {
        let party = try Party(["alice", "bob", "carol"])
        let bob = try party["bob"]
        let old = try #require(bob.publicGroup.tree[bob.ownLeaf]).encryptionKey
        let message = try bob.forgedJoin(Person("bob").bundle(), [.remove(bob.ownLeaf)]) {
            $0.leafContent = { $0.encryptionKey = old }
        }
        try party["carol"].expectRefusal(.pathLeafHasNewKey, of: message)
    }
}
