import CLibCrypto

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
        let context = unsafe key.context()
        defer { unsafe EVP_PKEY_CTX_free(context) }
        let secret = try unsafe SecretBytes(count: Curve.domain.size) { (secret) throws(CryptoKitError) in
            var size = secret.count
            guard unsafe EVP_PKEY_derive_init(context) == 1,
                unsafe EVP_PKEY_derive_set_peer_ex(context, publicKeyShare.key.handle, 0) == 1,
                unsafe EVP_PKEY_derive(context, secret.octets, &size) == 1, size == secret.count
            else { throw LibCrypto.lastError() }
        }
        return SharedSecret(secret)
    }
}
