import Foundation
import MildamCrypto
import Testing

@Suite("Values printed in the standards")
struct PublishedValueTests {
    @Test("RFC 8439, section 2.8.2") func chaCha20Poly1305() throws {
        let key = try SymmetricKey(data: bytes("808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f"))
        let text = """
            Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, sunscreen would \
            be it.
            """
        let box = try ChaChaPoly.seal(
            Data(text.utf8),
            using: key,
            nonce: .init(data: bytes("070000004041424344454647")),
            authenticating: bytes("50515253c0c1c2c3c4c5c6c7")
        )
        #expect(try box.tag == Data(bytes("1ae10b594f09e26a7e902ecbd0600691")))
        #expect(try box.ciphertext.prefix(16) == Data(bytes("d31a8d34648e60db7b86afbc53ef7ec2")))
    }

    @Test("RFC 7748, section 6.1") func x25519() throws {
        let alice = try Curve25519.KeyAgreement.PrivateKey(
            rawRepresentation: bytes("77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a")
        )
        let bob = try Curve25519.KeyAgreement.PrivateKey(
            rawRepresentation: bytes("5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb")
        )
        #expect(
            try bob.publicKey.rawRepresentation
                == Data(bytes("de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f"))
        )
        let secret = try alice.sharedSecretFromKeyAgreement(with: bob.publicKey)
        #expect(
            try constantTimeEquals(secret, bytes("4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742"))
        )
    }

    @Test("RFC 8032, section 7.1, test 2") func ed25519() throws {
        let key = try Curve25519.Signing.PrivateKey(
            rawRepresentation: bytes("4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb")
        )
        #expect(
            try key.publicKey.rawRepresentation
                == Data(bytes("3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c"))
        )
        let signature = key.signature(for: [0x72])
        #expect(
            try signature
                == Data(
                    bytes(
                        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
                            + "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"
                    )
                )
        )
    }

    /// The key of RFC 8032, section 7.1, test 2; its X25519 form was computed from the definitions, with Python's
    /// integers: SHA-512 and clamping, and u = (1 + y) / (1 − y).
    @Test("An Ed25519 key is the same key for X25519") func conversion() throws {
        let key = try Curve25519.Signing.PrivateKey(
            rawRepresentation: bytes("4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb")
        )
        let own = Curve25519.KeyAgreement.PrivateKey(converting: key)
        let point = try bytes("25c704c594b88afc00a76b69d1ed2b984d7e22550f3ed0802d04fbcd07d38d47")
        #expect(
            try constantTimeEquals(
                own.rawRepresentation,
                bytes("68bd9ed75882d52815a97585caf4790a7f6c6b3b7f821c5e259a24b02e502e51")
            )
        )
        #expect(own.publicKey.rawRepresentation == Data(point))
        #expect(try Curve25519.KeyAgreement.PublicKey(converting: key.publicKey) == own.publicKey)
    }

    @Test("What is no point of the curve, or one that tells the secret's bits, has no X25519 form")
    func conversionRefusals() throws {
        let points = [
            // Off the curve; the neutral element; of order 2; of order 8.
            "0200000000000000000000000000000000000000000000000000000000000000",
            "0100000000000000000000000000000000000000000000000000000000000000",
            "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
            "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
        ]
        for point in points {
            let key = try Curve25519.Signing.PublicKey(rawRepresentation: bytes(point))
            #expect(throws: CryptoKitError.invalidParameter) {
                try Curve25519.KeyAgreement.PublicKey(converting: key)
            }
        }
    }

    @Test("RFC 5869, appendix A.1") func hkdf() throws {
        let input = SymmetricKey(data: [UInt8](repeating: 0x0b, count: 22))
        let salt = try bytes("000102030405060708090a0b0c")
        let extracted = HKDF<SHA256>.extract(inputKeyMaterial: input, salt: salt)
        #expect(
            try Array(extracted) == bytes("077709362c2e32df0ddc3f0dc47bba6390b6c73bb50f9c3122ec844ad7c2b3e5")
        )
        let output = try HKDF<SHA256>.expand(
            pseudoRandomKey: extracted,
            info: bytes("f0f1f2f3f4f5f6f7f8f9"),
            outputByteCount: 42
        )
        let expected = try bytes(
            "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865"
        )
        #expect(output == SymmetricKey(data: expected))
    }

    @Test("RFC 7914, section 12") func scrypt() throws {
        let key = try KDF.Scrypt.deriveKey(
            from: Data("password".utf8),
            salt: Data("NaCl".utf8),
            outputByteCount: 64,
            rounds: 1024,
            blockSize: 8,
            parallelism: 16
        )
        let expected = try bytes(
            "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162"
                + "2eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640"
        )
        #expect(key == SymmetricKey(data: expected))
    }

    /// RFC 9106 prints values for four lanes with a secret, which libsodium does not have; this one is the reference
    /// program's: `printf 'correct horse' | argon2 'sixteen bytesalt' -id -k 256 -t 3 -p 1 -l 32 -r`.
    @Test("RFC 9106, one lane") func argon2id() throws {
        let key = try KDF.Argon2id.deriveKey(
            from: Data("correct horse".utf8),
            salt: Data("sixteen bytesalt".utf8),
            memoryKiB: 256,
            passes: 3
        )
        #expect(
            try key == SymmetricKey(data: bytes("d1c6dcfbd0bb2d189ce599fc671e5b8d34e4e4a2ae08345f0ca32f8c3d95e413"))
        )
    }

    @Test("FIPS 180-4, \"abc\"") func hashes() throws {
        let abc = Data("abc".utf8)
        #expect(
            SHA256.hash(data: abc).description
                == "SHA256 digest: ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        )
        #expect(
            try Array(SHA224.hash(data: abc)) == bytes("23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7")
        )
        #expect(try Array(Insecure.SHA1.hash(data: abc)) == bytes("a9993e364706816aba3e25717850c26c9cd0d89d"))
        #expect(try Array(SHA384.hash(data: abc).prefix(8)) == bytes("cb00753f45a35e8b"))
        #expect(try Array(SHA512.hash(data: abc).prefix(8)) == bytes("ddaf35a193617aba"))
        var running = SHA512()
        running.update(data: Data("a".utf8))
        let fork = running
        running.update(data: Data("bc".utf8))
        #expect(running.finalize() == SHA512.hash(data: abc) && running.finalize() == SHA512.hash(data: abc))
        #expect(fork.finalize() == SHA512.hash(data: Data("a".utf8)))
    }
}
