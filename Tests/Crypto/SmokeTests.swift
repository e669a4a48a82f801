import Foundation
import MildamCrypto
import Testing

@Suite struct SmokeTests {
    @Test func everything() throws {
        let key = SymmetricKey(size: .bits256)
        let message = Data("hello".utf8)
        for header in [Data(), Data("header".utf8)] {
            let a = try AES.GCM.seal(message, using: key, authenticating: header)
            #expect(try AES.GCM.open(.init(combined: #require(a.combined)), using: key, authenticating: header) == message)
            let c = try ChaChaPoly.seal(message, using: key, authenticating: header)
            #expect(try ChaChaPoly.open(.init(combined: c.combined), using: key, authenticating: header) == message)
        }
        #expect(SHA256.hash(data: message).description == "SHA256 digest: 2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824")
        let a = Curve25519.KeyAgreement.PrivateKey()
        let b = Curve25519.KeyAgreement.PrivateKey()
        #expect(try a.sharedSecretFromKeyAgreement(with: b.publicKey) == b.sharedSecretFromKeyAgreement(with: a.publicKey))
        let p = P256.KeyAgreement.PrivateKey()
        let q = P256.KeyAgreement.PrivateKey()
        let shared = try p.sharedSecretFromKeyAgreement(with: q.publicKey)
        #expect(try shared == q.sharedSecretFromKeyAgreement(with: p.publicKey))
        _ = shared.x963DerivedSymmetricKey(using: SHA256.self, sharedInfo: message, outputByteCount: 48)
        _ = shared.hkdfDerivedSymmetricKey(using: SHA256.self, salt: message, sharedInfo: message, outputByteCount: 48)
        let s = P256.Signing.PrivateKey()
        let signature = try s.signature(for: message)
        #expect(s.publicKey.isValidSignature(signature, for: message))
        let e = Curve25519.Signing.PrivateKey()
        #expect(e.publicKey.isValidSignature(e.signature(for: message), for: message))
        _ = try KDF.Argon2id.deriveKey(from: message, salt: Data(count: 16), memoryKiB: 64, passes: 1)
        _ = try KDF.Scrypt.deriveKey(from: message, salt: message, outputByteCount: 32, rounds: 16, blockSize: 8, parallelism: 1)
        _ = try KDF.PBKDF2.deriveKey(from: message, salt: message, using: .sha256, outputByteCount: 32, rounds: 3)
    }
}
