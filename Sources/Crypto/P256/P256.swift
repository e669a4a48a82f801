/// The curve P-256 (FIPS 186-5, SEC 2's secp256r1), for key agreement and signatures, by libcrypto.
public enum P256 {}
