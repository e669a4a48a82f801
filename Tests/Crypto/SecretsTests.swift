import Foundation
import MildamCrypto
import Testing

@Suite("Secrets")
struct SecretsTests {
    @Test func secretBytes() throws {
        var secret = SecretBytes(copying: Data([1, 2, 3]))
        #expect(secret.count == 3)
        #expect(secret.description == "3 secret bytes")
        let array: [UInt8] = [1, 2, 3]
        let (same, shorter) = (
            secret.constantTimeEquals(SecretBytes(copying: array.span)),
            secret.constantTimeEquals(SecretBytes(copying: Data([1, 2])))
        )
        #expect(same && !shorter)
        unsafe secret.withUnsafeMutableBytes { unsafe $0[2] = 4 }
        let last = secret.span[2]
        #expect(last == 4)
        let stillSame = secret.constantTimeEquals(SecretBytes(copying: array.span))
        #expect(!stillSame)
        let large = SecretBytes.random(count: 100_000)
        #expect(large.count == 100_000)
    }

    @Test func constantTimeEquality() {
        let bytes = Data(0..<32)
        #expect(constantTimeEquals(bytes, Array(bytes)))
        #expect(constantTimeEquals(Data(), [UInt8]()))
        #expect(!constantTimeEquals(bytes, bytes.dropLast()))
        for index in 0..<32 {
            var other = bytes
            other[index] ^= 0x80
            #expect(!constantTimeEquals(bytes, other))
        }
    }

    @Test func nothingIsDescribed() throws {
        let raw = Data(repeating: 0xab, count: 32)
        let secret = try Curve25519.KeyAgreement.PrivateKey(rawRepresentation: raw)
        let shared = try secret.sharedSecretFromKeyAgreement(with: Curve25519.KeyAgreement.PrivateKey().publicKey)
        let values: [(Any, String)] = [
            (SymmetricKey(data: raw), "SymmetricKey (256 bits)"),
            (secret, "Curve25519.KeyAgreement.PrivateKey"),
            (try Curve25519.Signing.PrivateKey(rawRepresentation: raw), "Curve25519.Signing.PrivateKey"),
            (try P256.KeyAgreement.PrivateKey(rawRepresentation: raw), "P256.KeyAgreement.PrivateKey"),
            (try P256.Signing.PrivateKey(rawRepresentation: raw), "P256.Signing.PrivateKey"),
            (
                try Curve448.KeyAgreement.PrivateKey(rawRepresentation: Data(repeating: 0xab, count: 56)),
                "Curve448.KeyAgreement.PrivateKey"
            ),
            (
                try Curve448.Signing.PrivateKey(rawRepresentation: Data(repeating: 0xab, count: 57)),
                "Curve448.Signing.PrivateKey"
            ),
            (
                try HPKE.PrivateKey(kem: .P256_HKDF_SHA256, rawRepresentation: raw),
                "HPKE.PrivateKey (P256_HKDF_SHA256)"
            ),
            (try HPKE.PresharedKey(SymmetricKey(data: raw), identifier: raw), "HPKE.PresharedKey"),
            (shared, "SharedSecret (32 bytes)"),
            (HMAC<SHA256>.authenticationCode(for: raw, using: SymmetricKey(data: raw)), "HMAC with SHA256 (32 bytes)"),
        ]
        for (value, text) in values {
            #expect("\(value)" == text && String(reflecting: value).contains(text))
            var dumped = ""
            dump(value, to: &dumped)
            #expect(!dumped.lowercased().contains("abab") && !dumped.contains("171"), "\(dumped)")
        }
    }

    @Test func randomBytes() {
        #expect(SecureRandom.bytes(count: 0).isEmpty)
        #expect(SecureRandom.data(count: 33).count == 33)
        #expect(SecureRandom.bytes(count: 32) != SecureRandom.bytes(count: 32))
        var generator = SecureRandom()
        #expect(generator.next() != generator.next())
    }
}
