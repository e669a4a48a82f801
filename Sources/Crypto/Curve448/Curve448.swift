/// The curve of RFC 7748 with 224 bits of strength, for key agreement (X448) and signatures (Ed448), by libcrypto.
public enum Curve448 {}
