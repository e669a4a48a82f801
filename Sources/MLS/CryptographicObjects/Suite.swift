import MildamCrypto
import MildamWire

/// The algorithms of a cipher suite, ready for use (RFC 9420, sections 5.1 and 17.1).
struct Suite: Sendable {
    let cipherSuite: CipherSuite
    let hpke: HPKE.Ciphersuite
    let hash: HashAlgorithm
    let aead: AEADAlgorithm
    let signature: SignatureAlgorithm

    /// The size of a secret in bytes: KDF.Nh.
    var secretSize: Int { hash.byteCount }

    /// The algorithms of a suite; each is made once per process.
    ///
    /// - Throws: `cipherSuiteUnknown`.
    static func of(_ cipherSuite: CipherSuite) throws(MLSError) -> Suite {
        guard let suite = all[cipherSuite] else { throw .unknownCipherSuite(cipherSuite) }
        return suite
    }

    private static let all: [CipherSuite: Suite] = Dictionary(
        uniqueKeysWithValues: [
            Suite(.x25519AES128, .Curve25519_HKDF_SHA256, .HKDF_SHA256, .AES_GCM_128, .sha256, .aes128GCM, .ed25519),
            Suite(.p256AES128, .P256_HKDF_SHA256, .HKDF_SHA256, .AES_GCM_128, .sha256, .aes128GCM, .ecdsaP256),
            Suite(
                .x25519ChaChaPoly,
                .Curve25519_HKDF_SHA256,
                .HKDF_SHA256,
                .chaChaPoly,
                .sha256,
                .chaChaPoly,
                .ed25519
            ),
            Suite(.x448AES256, .Curve448_HKDF_SHA512, .HKDF_SHA512, .AES_GCM_256, .sha512, .aes256GCM, .ed448),
            Suite(.p521AES256, .P521_HKDF_SHA512, .HKDF_SHA512, .AES_GCM_256, .sha512, .aes256GCM, .ecdsaP521),
            Suite(.x448ChaChaPoly, .Curve448_HKDF_SHA512, .HKDF_SHA512, .chaChaPoly, .sha512, .chaChaPoly, .ed448),
            Suite(.p384AES256, .P384_HKDF_SHA384, .HKDF_SHA384, .AES_GCM_256, .sha384, .aes256GCM, .ecdsaP384),
        ].map { ($0.cipherSuite, $0) }
    )

    private init(
        _ cipherSuite: CipherSuite,
        _ kem: HPKE.KEM,
        _ kdf: HPKE.KDF,
        _ hpkeAEAD: HPKE.AEAD,
        _ hash: HashAlgorithm,
        _ aead: AEADAlgorithm,
        _ signature: SignatureAlgorithm
    ) {
        self.cipherSuite = cipherSuite
        hpke = HPKE.Ciphersuite(kem: kem, kdf: kdf, aead: hpkeAEAD)
        self.hash = hash
        self.aead = aead
        self.signature = signature
    }
}
