import MildamCrypto
import TestSupport
import Testing

@testable import MildamMLS

@Suite("RFC 9420, section 9: secret tree", .enabled(if: Vectors.areExpected))
struct SecretTreeTests {
    struct Case: Decodable {
        struct SenderData: Decodable { let sender_data_secret, ciphertext, key, nonce: Bytes }
        struct Generation: Decodable {
            let generation: UInt32
            let handshake_key, handshake_nonce, application_key, application_nonce: Bytes
        }

        let cipher_suite: UInt16
        let sender_data: SenderData
        let encryption_secret: Bytes
        let leaves: [[Generation]]
    }

    @Test func allKeysAreThePublishedOnes() throws {
        for vector in try vectors("secret-tree", of: Case.self, count: 21) {
            let suite = try suite(vector.cipher_suite)
            let data = vector.sender_data
            let senderKey = suite.senderDataKey(data.sender_data_secret.secret, data.ciphertext.bytes)
            #expect(senderKey.key.exposed == data.key.bytes && senderKey.nonce.exposed == data.nonce.bytes)
            var tree = SecretTree(
                TreeShape(holding: vector.leaves.count),
                encryptionSecret: vector.encryption_secret.secret
            )
            for (number, generations) in vector.leaves.enumerated() {
                let leaf = LeafIndex(number)
                for generation in generations {
                    let wanted = generation.generation
                    let handshake = try tree.take(wanted, of: leaf, .commit, suite, RatchetLimits())
                    #expect(handshake.key.exposed == generation.handshake_key.bytes)
                    #expect(handshake.nonce.exposed == generation.handshake_nonce.bytes)
                    let application = try tree.take(wanted, of: leaf, .application, suite, RatchetLimits())
                    #expect(application.key.exposed == generation.application_key.bytes)
                    #expect(application.nonce.exposed == generation.application_nonce.bytes)
                }
            }
            #expect(tree.nodes.isEmpty, "a secret stayed that others were made of")
        }
    }

    private func tree() throws -> (SecretTree, Suite) {
        let suite = try Suite.of(.x25519AES128)
        return (SecretTree(TreeShape(holding: 4), encryptionSecret: suite.zero), suite)
    }

    @Test func aKeyIsThereOnce() throws {
        var (tree, suite) = try tree()
        let leaf = LeafIndex(2)
        _ = try tree.take(3, of: leaf, .application, suite, RatchetLimits())
        #expect(throws: MLSError.keyConsumed) { try tree.take(3, of: leaf, .application, suite, RatchetLimits()) }
        for earlier: UInt32 in [1, 0, 2] {
            _ = try tree.take(earlier, of: leaf, .application, suite, RatchetLimits())
            #expect(throws: MLSError.keyConsumed) {
                try tree.take(earlier, of: leaf, .application, suite, RatchetLimits())
            }
        }
        // The other ratchet knows nothing of it.
        _ = try tree.take(0, of: leaf, .commit, suite, RatchetLimits())
    }

    @Test func nobodyIsMadeToGoFarAhead() throws {
        var (tree, suite) = try tree()
        let limits = RatchetLimits(forward: 10, outOfOrder: 3)
        let leaf = LeafIndex(1)
        for far: UInt32 in [11, 1000, .max] {
            #expect(throws: MLSError.tooFarAhead) { try tree.take(far, of: leaf, .application, suite, limits) }
        }
        // What was refused has changed nothing.
        _ = try tree.take(10, of: leaf, .application, suite, limits)
        #expect(throws: MLSError.keyConsumed) { try tree.take(6, of: leaf, .application, suite, limits) }
        for kept: UInt32 in 7...9 { _ = try tree.take(kept, of: leaf, .application, suite, limits) }
    }

    @Test func theOldestKeysAreForgotten() throws {
        var (tree, suite) = try tree()
        let limits = RatchetLimits(forward: 10, outOfOrder: 3)
        for next: UInt32 in [1, 3, 5, 7, 9] { _ = try tree.take(next, of: LeafIndex(0), .application, suite, limits) }
        #expect(tree.ratchets[.init(LeafIndex(0), .application)]?.skipped.keys.sorted() == [4, 6, 8])
    }

    @Test func aLeafBeyondTheTreeHasNoKeys() throws {
        var (tree, suite) = try tree()
        #expect(throws: MLSError.invalid(.senderIsMember)) {
            try tree.take(0, of: LeafIndex(4), .application, suite, RatchetLimits())
        }
    }
}
