/// The curve of RFC 7748, for key agreement (X25519) and signatures (Ed25519), by libsodium.
public enum Curve25519 {}

extension Curve25519 {
    /// The size of public keys, private keys and shared secrets in bytes.
    static let size = 32
}
