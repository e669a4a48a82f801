extension HPKE {
    /// An AEAD of RFC 9180, section 7.3; its raw value is the one on the wire.
    public enum AEAD: UInt16, CaseIterable, Sendable {
        /// AES-GCM with keys of 16 bytes.
        case AES_GCM_128 = 0x0001
        /// AES-GCM with keys of 32 bytes.
        case AES_GCM_256 = 0x0002
        /// ChaCha20-Poly1305.
        case chaChaPoly = 0x0003
        /// None: secrets are exported, and no messages are sealed.
        case exportOnly = 0xFFFF

        /// The size of a key in bytes: 16, 32, 32 or 0 (the RFC's `Nk`).
        public var keyByteCount: Int { algorithm?.keySize ?? 0 }

        /// The size of a nonce in bytes: 12, or 0 without an AEAD (the RFC's `Nn`).
        public var nonceByteCount: Int { self == .exportOnly ? 0 : 12 }

        /// How much longer a sealed message is, in bytes: 16, or 0 without an AEAD (the RFC's `Nt`).
        public var tagByteCount: Int { self == .exportOnly ? 0 : CipherContext.tagSize }

        var algorithm: CipherAlgorithm? {
            switch self {
            case .AES_GCM_128: .aes128GCM
            case .AES_GCM_256: .aes256GCM
            case .chaChaPoly: .chaCha20Poly1305
            case .exportOnly: nil
            }
        }
    }
}
