/// Elliptic-curve Diffie-Hellman (NIST SP 800-56A) on a curve of NIST. Its names are CryptoKit's `P256.KeyAgreement`,
/// `P384.KeyAgreement` and `P521.KeyAgreement`.
public enum ECDH<Curve: NISTCurve>: NISTKeyUse {
    /// A public key for key agreement.
    public typealias PublicKey = NISTPublicKey<Curve, ECDH>
    /// A private key for key agreement.
    public typealias PrivateKey = NISTPrivateKey<Curve, ECDH>

    /// "KeyAgreement".
    public static var name: String { "KeyAgreement" }
}

extension NISTPrivateKey where Use == ECDH<Curve> {
    /// The secret that both sides arrive at: the x-coordinate of 32, 48 or 66 bytes.
    ///
    /// - Throws: libcrypto's error; every public key was checked when it was made.
    public func sharedSecretFromKeyAgreement(
        with publicKeyShare: ECDH<Curve>.PublicKey
    ) throws(CryptoKitError) -> SharedSecret {
        try key.sharedSecret(with: publicKeyShare.key)
    }
}

extension ECKey {
    /// What a private key agrees on with a public key of its curve: the x-coordinate.
    ///
    /// - Throws: libcrypto's error.
    func sharedSecret(with other: ECKey) throws(CryptoKitError) -> SharedSecret {
        let secret = try unsafe SecretBytes(count: domain.size) { (secret) throws(CryptoKitError) in
            guard unsafe LibCrypto.agree(handle, other.handle, into: secret) else { throw LibCrypto.lastError() }
        }
        return SharedSecret(secret)
    }
}
