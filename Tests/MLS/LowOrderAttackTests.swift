import MildamCrypto
import Testing

@testable import MildamMLS

/// Mallory has two devices beside one another, and gives the node above them a key that nobody can encrypt to. Nobody else
/// derives anything for that node: only a look at the key tells them.
@Suite("RFC 9420, section 7.6: keys of low order, by which one member would hold up a room")
struct LowOrderAttackTests {
    private static let names = ["mallory", "mallory's phone", "bob", "carol"]

    @Test(arguments: [CipherSuite.x25519ChaChaPoly, .x448AES256])
    func aRoomGoesOn(suite: CipherSuite) throws {
        var party = try Party(LowOrderAttackTests.names, suite)
        for key in LowOrderKey.of(suite) {
            let commit = try party["mallory"].forgedCommit {
                $0.format = .publicMessage
                $0.nodeKeys = { $0[0] = HPKEPublicKey(key) }
            }
            for name in ["bob", "carol"] { try party[name].expectRefusal(.pathKeysAreValid, of: commit) }
            guard case .publicMessage(let message) = commit else { throw MLSError.notForMembers }
            var relay = try party["bob"].publicGroup
            #expect(throws: MLSError.invalid(.pathKeysAreValid)) {
                try relay.process(message, environment: Person.environment)
            }
        }
        try party.commit(by: "bob")
        let eve = try ExternalJoin(
            party["carol"].groupInfo(),
            with: Person("eve", suite).bundle(),
            environment: Person.environment
        )
        try party.deliver(eve.commit)
        party.set("eve", eve.group)
        try party.agree()
    }

    /// What the refusal is for: with such a key in the tree, nobody beside it commits any more.
    @Test(arguments: LowOrderKey.x25519) func whoTookItInWouldCommitNoMore(key: [UInt8]) throws {
        var bob = try Party(LowOrderAttackTests.names)["bob"]
        bob.publicGroup.tree.set(ParentNode(encryptionKey: HPKEPublicKey(key)), at: NodeIndex(1))
        #expect(throws: MLSError.invalidPublicKey) { try bob.commit() }
    }
}
