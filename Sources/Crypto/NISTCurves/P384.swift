/// The curve P-384 (FIPS 186-5, SEC 2's secp384r1), for key agreement and signatures, by libcrypto.
///
/// A coordinate and a scalar have 48 bytes; a point 97, compressed 49.
public enum P384: NISTCurve {
    /// ECDH on P-384 (NIST SP 800-56A).
    public typealias KeyAgreement = ECDH<P384>
    /// ECDSA on P-384 (FIPS 186-5); over SHA-384 unless a digest is given.
    public typealias Signing = ECDSA<P384>
    /// SHA-384.
    public typealias SigningHash = SHA384

    /// libcrypto's implementation of it.
    public static var domain: CurveDomain { .p384 }
}
