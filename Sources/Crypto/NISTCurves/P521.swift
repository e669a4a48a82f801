/// The curve P-521 (FIPS 186-5, SEC 2's secp521r1), for key agreement and signatures, by libcrypto.
///
/// A coordinate and a scalar have 66 bytes; a point 133, compressed 67.
public enum P521: NISTCurve {
    /// ECDH on P-521 (NIST SP 800-56A).
    public typealias KeyAgreement = ECDH<P521>
    /// ECDSA on P-521 (FIPS 186-5); over SHA-512 unless a digest is given.
    public typealias Signing = ECDSA<P521>
    /// SHA-512.
    public typealias SigningHash = SHA512

    /// libcrypto's implementation of it.
    public static var domain: CurveDomain { .p521 }
}
