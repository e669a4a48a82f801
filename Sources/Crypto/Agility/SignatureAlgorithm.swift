/// A signature scheme that a protocol learns at run time; signatures are as TLS has them: `R ‖ S` for the Edwards curves, DER
/// for ECDSA (RFC 8446, section 4.2.3).
public enum SignatureAlgorithm: CaseIterable, Sendable {
    /// Ed25519 (RFC 8032).
    case ed25519
    /// Ed448 (RFC 8032).
    case ed448
    /// ECDSA with P-256 and SHA-256.
    case ecdsaP256
    /// ECDSA with P-384 and SHA-384.
    case ecdsaP384
    /// ECDSA with P-521 and SHA-512.
    case ecdsaP521
}
