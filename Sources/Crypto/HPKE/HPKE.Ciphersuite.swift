extension HPKE {
    /// The three algorithms of an encapsulation. A protocol says which: nothing that is sent does.
    ///
    /// Make each once and keep it: what of the key schedule depends on the ciphersuite alone is computed with it.
    public struct Ciphersuite: Hashable, Sendable {
        /// NIST P-256, HKDF-SHA256, AES-256-GCM.
        public static let P256_SHA256_AES_GCM_256 = Ciphersuite(
            kem: .P256_HKDF_SHA256,
            kdf: .HKDF_SHA256,
            aead: .AES_GCM_256
        )
        /// NIST P-384, HKDF-SHA384, AES-256-GCM.
        public static let P384_SHA384_AES_GCM_256 = Ciphersuite(
            kem: .P384_HKDF_SHA384,
            kdf: .HKDF_SHA384,
            aead: .AES_GCM_256
        )
        /// NIST P-521, HKDF-SHA512, AES-256-GCM.
        public static let P521_SHA512_AES_GCM_256 = Ciphersuite(
            kem: .P521_HKDF_SHA512,
            kdf: .HKDF_SHA512,
            aead: .AES_GCM_256
        )
        /// X25519, HKDF-SHA256, ChaCha20-Poly1305.
        public static let Curve25519_SHA256_ChachaPoly = Ciphersuite(
            kem: .Curve25519_HKDF_SHA256,
            kdf: .HKDF_SHA256,
            aead: .chaChaPoly
        )

        /// The key encapsulation mechanism.
        public let kem: KEM
        /// The key derivation function.
        public let kdf: KDF
        /// The AEAD.
        public let aead: AEAD

        /// The key derivation of this ciphersuite.
        let labeledKDF: LabeledKDF
        /// The hash of no identifier, for the modes without a pre-shared key.
        let emptyIdentifierHash: [UInt8]

        /// The ciphersuite of these algorithms; all of them go together.
        public init(kem: KEM, kdf: KDF, aead: AEAD) {
            self.kem = kem
            self.kdf = kdf
            self.aead = aead
            labeledKDF = LabeledKDF(kem, kdf, aead)
            let none = unsafe UnsafeRawBufferPointer(start: nil, count: 0)
            emptyIdentifierHash = unsafe labeledKDF.hash("psk_id_hash", none)
        }

        /// Whether the algorithms are the same.
        public static func == (left: Ciphersuite, right: Ciphersuite) -> Bool {
            left.kem == right.kem && left.kdf == right.kdf && left.aead == right.aead
        }

        /// Feeds the algorithms to the hasher.
        public func hash(into hasher: inout Hasher) {
            hasher.combine(kem)
            hasher.combine(kdf)
            hasher.combine(aead)
        }
    }
}
