import MildamCrypto
import MildamWire
import TestSupport
import Testing

@testable import MildamMLS

@Suite("RFC 9420, section 5: cryptographic objects", .enabled(if: Vectors.areExpected))
struct CryptoBasicsTests {
    struct Case: Decodable {
        struct Hash: Decodable { let label: String, value, out: Bytes }
        struct Expansion: Decodable { let secret: Bytes, label: String, context: Bytes, length: Int, out: Bytes }
        struct Derivation: Decodable { let secret: Bytes, label: String, out: Bytes }
        struct TreeDerivation: Decodable {
            let secret: Bytes, label: String, generation: UInt32, length: Int, out: Bytes
        }
        struct Signature: Decodable { let priv, pub, content: Bytes, label: String, signature: Bytes }
        struct Encryption: Decodable {
            let priv, pub: Bytes, label: String, context, plaintext, kem_output, ciphertext: Bytes
        }

        let cipher_suite: UInt16
        let ref_hash: Hash
        let expand_with_label: Expansion
        let derive_secret: Derivation
        let derive_tree_secret: TreeDerivation
        let sign_with_label: Signature
        let encrypt_with_label: Encryption
    }

    @Test func allSuites() throws {
        for vector in try vectors("crypto-basics", of: Case.self, count: 7) {
            let suite = try suite(vector.cipher_suite)
            let hash = vector.ref_hash
            #expect(suite.referenceHash(hash.label, hash.value.bytes) == hash.out.bytes)
            let expansion = vector.expand_with_label
            let expanded = suite.expand(
                expansion.secret.secret,
                expansion.label,
                context: expansion.context.bytes,
                size: expansion.length
            )
            #expect(expanded.exposed == expansion.out.bytes)
            let derivation = vector.derive_secret
            #expect(suite.derive(derivation.secret.secret, derivation.label).exposed == derivation.out.bytes)
            let tree = vector.derive_tree_secret
            let derived = suite.deriveTree(
                tree.secret.secret,
                tree.label,
                generation: tree.generation,
                size: tree.length
            )
            #expect(derived.exposed == tree.out.bytes)
            try sign(vector.sign_with_label, suite)
            try encrypt(vector.encrypt_with_label, suite)
        }
    }

    private func sign(_ vector: Case.Signature, _ suite: Suite) throws {
        let (content, label) = (vector.content.bytes, vector.label)
        let key = SignaturePublicKey(vector.pub.bytes)
        #expect(suite.isValid(vector.signature.bytes, of: content, label, by: key))
        #expect(!suite.isValid(vector.signature.bytes, of: content + [0], label, by: key))
        #expect(!suite.isValid(vector.signature.bytes, of: content, label + "x", by: key))
        let own = try AnySigningKey(suite.signature, rawRepresentation: vector.priv.bytes)
        #expect(own.publicKey == vector.pub.bytes)
        let signature = try own.signature(for: suite.signContent(label, content))
        #expect(suite.isValid(signature, of: content, label, by: key))
    }

    private func encrypt(_ vector: Case.Encryption, _ suite: Suite) throws {
        let key = try HPKE.PrivateKey(kem: suite.hpke.kem, rawRepresentation: vector.priv.bytes)
        #expect(key.publicKey.serialized == vector.pub.bytes)
        let ciphertext = HPKECiphertext(kemOutput: vector.kem_output.bytes, ciphertext: vector.ciphertext.bytes)
        let context = vector.context.bytes
        let opened = try suite.decrypt(ciphertext, with: key, vector.label, context: context)
        #expect(opened.exposed == vector.plaintext.bytes)
        #expect(throws: MLSError.decryptionFailed) {
            try suite.decrypt(ciphertext, with: key, vector.label, context: context + [0])
        }
        let own = try suite.encrypt(
            vector.plaintext.secret,
            to: HPKEPublicKey(vector.pub.bytes),
            suite.encryptContext(.welcome, context)
        )
        #expect(try suite.decrypt(own, with: key, .welcome, context: context).exposed == vector.plaintext.bytes)
        #expect(throws: MLSError.decryptionFailed) {
            try suite.decrypt(own, with: key, .updatePathNode, context: context)
        }
    }

    @Test func whatIsNoSuiteIsRefused() {
        #expect(throws: MLSError.unknownCipherSuite(CipherSuite(rawValue: 8))) {
            try Suite.of(CipherSuite(rawValue: 8))
        }
        #expect(throws: MLSError.self) { try Suite.of(CipherSuite(rawValue: 0)) }
    }
}
