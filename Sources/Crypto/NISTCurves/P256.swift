/// The curve P-256 (FIPS 186-5, SEC 2's secp256r1), for key agreement and signatures, by libcrypto.
///
/// A coordinate and a scalar have 32 bytes; a point 65, compressed 33.
public enum P256: NISTCurve {
    /// ECDH on P-256 (NIST SP 800-56A).
    public typealias KeyAgreement = ECDH<P256>
    /// ECDSA on P-256 (FIPS 186-5); over SHA-256 unless a digest is given.
    public typealias Signing = ECDSA<P256>
    /// SHA-256.
    public typealias SigningHash = SHA256

    /// libcrypto's implementation of it.
    public static var domain: CurveDomain { .p256 }
}
