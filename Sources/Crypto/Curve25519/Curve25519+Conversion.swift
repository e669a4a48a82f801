import CLibSodium
import FoundationEssentials

// One pair of keys for signatures and for key agreement, as SSH keys that files are encrypted to. CryptoKit has no such
// conversion; where both uses can have keys of their own, they should.

extension Curve25519.KeyAgreement.PublicKey {
    /// The X25519 key of an Ed25519 key: the same point, in the curve's other form (RFC 7748, section 4.1).
    ///
    /// - Throws: `invalidParameter` for bytes that are no point of the curve, or one outside the group of prime order.
    public init(converting key: Curve25519.Signing.PublicKey) throws(CryptoKitError) {
        LibSodium.initialize()
        var point = Data(count: Curve25519.size)
        let status = unsafe point.withUnsafeMutableBytes { point in
            unsafe key.rawRepresentation.withUnsafeBytes { key in
                unsafe crypto_sign_ed25519_pk_to_curve25519(LibSodium.octets(point), LibSodium.octets(key))
            }
        }
        guard status == 0 else { throw .invalidParameter }
        try self.init(rawRepresentation: point)
    }
}

extension Curve25519.KeyAgreement.PrivateKey {
    /// The X25519 key of an Ed25519 key: the scalar that signs (RFC 8032, section 5.1.5, steps 1 and 2).
    public init(converting key: Curve25519.Signing.PrivateKey) {
        LibSodium.initialize()
        self.init(
            unsafe SecretBytes(count: Curve25519.size) { scalar in
                unsafe key.storage.withUnsafeBytes { pair in
                    // It always returns 0.
                    _ = unsafe crypto_sign_ed25519_sk_to_curve25519(
                        LibSodium.octets(scalar),
                        LibSodium.octets(pair)
                    )
                }
            }
        )
    }
}
