extension ECIES {
    /// What both sides must know, since a packet does not say it.
    public struct Parameters: Hashable, Sendable {
        /// The hash under the KDF of X9.63.
        public var hash: Hash
        /// What AES-GCM begins with.
        public var iv: IV

        /// Parameters; unless others are named, those of `eciesEncryptionStandardX963SHA256AESGCM`.
        public init(hash: Hash = .sha256, iv: IV = .zero) {
            self.hash = hash
            self.iv = iv
        }
    }

    /// A hash under the KDF of X9.63. Apple also has the form with SHA-1, which is not read here.
    public enum Hash: CaseIterable, Sendable {
        /// SHA-224.
        case sha224
        /// SHA-256.
        case sha256
        /// SHA-384.
        case sha384
        /// SHA-512.
        case sha512

        var algorithm: DigestAlgorithm {
            switch self {
            case .sha224: .sha224
            case .sha256: .sha256
            case .sha384: .sha384
            case .sha512: .sha512
            }
        }
    }

    /// The IV of 16 bytes that AES-GCM begins with. Both are good, since a key seals one message.
    public enum IV: CaseIterable, Sendable {
        /// Zeros: the forms that Apple's header calls legacy.
        case zero
        /// The KDF's 16 bytes after the key: Apple's "variable IV", which its header asks for in new code.
        case derived
    }
}
