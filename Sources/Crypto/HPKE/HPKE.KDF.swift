extension HPKE {
    /// A key derivation function of RFC 9180, section 7.2; its raw value is the one on the wire.
    public enum KDF: UInt16, CaseIterable, Sendable {
        /// HKDF-SHA256.
        case HKDF_SHA256 = 0x0001
        /// HKDF-SHA384.
        case HKDF_SHA384 = 0x0002
        /// HKDF-SHA512.
        case HKDF_SHA512 = 0x0003

        /// The size of what it extracts in bytes: 32, 48 or 64 (the RFC's `Nh`).
        public var byteCount: Int { algorithm.size }

        var algorithm: DigestAlgorithm {
            switch self {
            case .HKDF_SHA256: .sha256
            case .HKDF_SHA384: .sha384
            case .HKDF_SHA512: .sha512
            }
        }
    }
}
