import Testing

@testable import MildamCrypto

@Suite("HPKE: one info for many messages (RFC 9180, section 5.1)")
struct HPKEHashedInfoTests {
    private let message = Array("a message".utf8)
    private let info = [UInt8](repeating: 7, count: 10_000)

    @Test(arguments: HPKETests.ciphersuites) func eachRecipientOpensTheirs(ciphersuite: HPKE.Ciphersuite) throws {
        guard ciphersuite.aead.algorithm != nil else { return }
        let hashed = HPKE.HashedInfo(info.span, ciphersuite: ciphersuite)
        for _ in 0..<2 {
            let key = HPKE.PrivateKey.generate(kem: ciphersuite.kem)
            let box = try HPKE.seal(
                message.span,
                to: key.publicKey,
                hashed,
                ephemeral: .generate(kem: ciphersuite.kem)
            )
            let opened = try HPKE.open(
                box.ciphertext.span,
                encapsulatedKey: box.encapsulatedKey.span,
                with: key,
                ciphersuite: ciphersuite,
                info: info.span
            )
            let isSame = opened.constantTimeEquals(SecretBytes(copying: message))
            #expect(isSame)
            #expect(throws: HPKE.Errors.authenticationFailure) {
                try HPKE.open(
                    box.ciphertext.span,
                    encapsulatedKey: box.encapsulatedKey.span,
                    with: key,
                    ciphersuite: ciphersuite,
                    info: message.span
                ).count
            }
        }
    }

    @Test func anEphemeralKeyDecidesTheBox() throws {
        let ciphersuite = HPKE.Ciphersuite.Curve25519_SHA256_ChachaPoly
        let hashed = HPKE.HashedInfo(info.span, ciphersuite: ciphersuite)
        let recipient = HPKE.PrivateKey.generate(kem: ciphersuite.kem).publicKey
        let ephemeral = HPKE.PrivateKey.generate(kem: ciphersuite.kem)
        let first = try HPKE.seal(message.span, to: recipient, hashed, ephemeral: ephemeral)
        let again = try HPKE.seal(message.span, to: recipient, hashed, ephemeral: ephemeral)
        #expect(first == again && first.encapsulatedKey == ephemeral.publicKey.serialized)
        let other = HPKE.PrivateKey.generate(kem: .P256_HKDF_SHA256)
        #expect(throws: HPKE.Errors.inconsistentCiphersuiteAndKey) {
            try HPKE.seal(message.span, to: recipient, hashed, ephemeral: other)
        }
    }
}
