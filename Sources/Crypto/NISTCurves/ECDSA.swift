import CLibCrypto
import FoundationEssentials

/// Signatures with elliptic curves (FIPS 186-5) on a curve of NIST. Its names are CryptoKit's `P256.Signing`,
/// `P384.Signing` and `P521.Signing`.
public enum ECDSA<Curve: NISTCurve>: NISTKeyUse {
    /// A public key for signatures.
    public typealias PublicKey = NISTPublicKey<Curve, ECDSA>
    /// A private key for signatures.
    public typealias PrivateKey = NISTPrivateKey<Curve, ECDSA>

    /// "Signing".
    public static var name: String { "Signing" }
}

extension NISTPrivateKey where Use == ECDSA<Curve> {
    /// A signature of the data's hash: by SHA-256 on P-256, SHA-384 on P-384, SHA-512 on P-521.
    ///
    /// - Throws: libcrypto's error.
    public func signature<D: DataProtocol>(for data: D) throws(CryptoKitError) -> ECDSA<Curve>.ECDSASignature {
        try signature(for: Curve.SigningHash.hash(data: data))
    }

    /// A signature of a digest that the caller made.
    ///
    /// - Throws: libcrypto's error.
    public func signature<D: Digest>(for digest: D) throws(CryptoKitError) -> ECDSA<Curve>.ECDSASignature {
        let context = unsafe key.context()
        defer {
            unsafe EVP_PKEY_CTX_free(context)
            SecretMemory.wipeStack()  // multiplying on P-521 may leave the nonce there, by which the key is known
        }
        var signature = Data(count: Int(unsafe EVP_PKEY_get_size(key.handle)))
        var size = signature.count
        let signed = unsafe digest.withUnsafeBytes { digest in
            unsafe signature.withUnsafeMutableBytes { signature in
                unsafe EVP_PKEY_sign_init(context) == 1
                    && EVP_PKEY_sign(context, signature.octets, &size, digest.octets, digest.count) == 1
            }
        }
        guard signed else { throw LibCrypto.lastError() }
        return try ECDSA<Curve>.ECDSASignature(derRepresentation: signature.prefix(size))
    }
}

extension NISTPublicKey where Use == ECDSA<Curve> {
    /// Whether the signature is this key's over the data's hash, which is that of the curve.
    public func isValidSignature<D: DataProtocol>(_ signature: ECDSA<Curve>.ECDSASignature, for data: D) -> Bool {
        isValidSignature(signature, for: Curve.SigningHash.hash(data: data))
    }

    /// Whether the signature is this key's over the digest.
    public func isValidSignature<D: Digest>(_ signature: ECDSA<Curve>.ECDSASignature, for digest: D) -> Bool {
        let context = unsafe key.context()
        defer { unsafe EVP_PKEY_CTX_free(context) }
        let status = unsafe digest.withUnsafeBytes { digest in
            unsafe signature.derRepresentation.withUnsafeBytes { signature in
                unsafe EVP_PKEY_verify_init(context) == 1
                    ? EVP_PKEY_verify(context, signature.octets, signature.count, digest.octets, digest.count) : -1
            }
        }
        if status != 1 { _ = LibCrypto.lastError() }
        return status == 1
    }
}
