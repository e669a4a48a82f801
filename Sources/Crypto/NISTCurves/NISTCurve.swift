/// A prime curve of NIST (SP 800-186, FIPS 186-5; the `secp…r1` of SEC 2), for key agreement and signatures: ``P256``,
/// ``P384`` or ``P521``.
///
/// `ECDH` and `ECDSA` are written once, over this.
public protocol NISTCurve: Sendable {
    /// The hash function that data are signed over, unless a digest is given.
    associatedtype SigningHash: HashFunction

    /// libcrypto's implementation of it.
    static var domain: CurveDomain { get }
}
