extension HPKE {
    /// A key encapsulation mechanism of RFC 9180, section 7.1; its raw value is the one on the wire.
    public enum KEM: UInt16, CaseIterable, Sendable {
        /// DHKEM(P-256, HKDF-SHA256).
        case P256_HKDF_SHA256 = 0x0010
        /// DHKEM(P-384, HKDF-SHA384).
        case P384_HKDF_SHA384 = 0x0011
        /// DHKEM(P-521, HKDF-SHA512).
        case P521_HKDF_SHA512 = 0x0012
        /// DHKEM(X25519, HKDF-SHA256).
        case Curve25519_HKDF_SHA256 = 0x0020
        /// DHKEM(X448, HKDF-SHA512).
        case Curve448_HKDF_SHA512 = 0x0021

        /// The size of a serialized public key and of an encapsulated one in bytes: 65, 97, 133, 32 or 56 (the RFC's
        /// `Npk` and `Nenc`).
        public var publicKeyByteCount: Int {
            switch self {
            case .P256_HKDF_SHA256: 65
            case .P384_HKDF_SHA384: 97
            case .P521_HKDF_SHA512: 133
            case .Curve25519_HKDF_SHA256: 32
            case .Curve448_HKDF_SHA512: 56
            }
        }

        /// The size of a private key in bytes: 32, 48, 66, 32 or 56 (the RFC's `Nsk`).
        public var privateKeyByteCount: Int {
            switch self {
            case .P256_HKDF_SHA256: 32
            case .P384_HKDF_SHA384: 48
            case .P521_HKDF_SHA512: 66
            case .Curve25519_HKDF_SHA256: 32
            case .Curve448_HKDF_SHA512: 56
            }
        }

        /// What it is built on.
        var group: Group {
            switch self {
            case .P256_HKDF_SHA256: .nist(.p256)
            case .P384_HKDF_SHA384: .nist(.p384)
            case .P521_HKDF_SHA512: .nist(.p521)
            case .Curve25519_HKDF_SHA256: .curve25519
            case .Curve448_HKDF_SHA512: .curve448
            }
        }

        /// Its key derivation. The secret that it gives (`Nsecret`) is as long as the hash.
        var labeledKDF: LabeledKDF {
            switch self {
            case .P256_HKDF_SHA256: .p256
            case .P384_HKDF_SHA384: .p384
            case .P521_HKDF_SHA512: .p521
            case .Curve25519_HKDF_SHA256: .curve25519
            case .Curve448_HKDF_SHA512: .curve448
            }
        }
    }

    /// The group that a KEM's keys are of.
    enum Group {
        case nist(CurveDomain)
        case curve25519
        case curve448
    }
}

extension HPKE.LabeledKDF {
    fileprivate static let p256 = HPKE.LabeledKDF(.sha256, .P256_HKDF_SHA256)
    fileprivate static let p384 = HPKE.LabeledKDF(.sha384, .P384_HKDF_SHA384)
    fileprivate static let p521 = HPKE.LabeledKDF(.sha512, .P521_HKDF_SHA512)
    fileprivate static let curve25519 = HPKE.LabeledKDF(.sha256, .Curve25519_HKDF_SHA256)
    fileprivate static let curve448 = HPKE.LabeledKDF(.sha512, .Curve448_HKDF_SHA512)
}
