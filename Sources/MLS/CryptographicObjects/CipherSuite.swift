import MildamCrypto
import MildamWire

/// The algorithms of a group, by their number (RFC 9420, sections 5.1 and 17.1). Any number can be read; those of the RFC
/// can be used.
public struct CipherSuite: WireNumber, CustomStringConvertible {
    /// The number in IANA's registry "MLS Cipher Suites".
    public let rawValue: UInt16

    /// The suite of this number, whether it can be used or not.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// X25519, AES-128-GCM, SHA-256, Ed25519: the one that everybody has to know.
    public static let x25519AES128 = CipherSuite(rawValue: 0x0001)
    /// P-256, AES-128-GCM, SHA-256, ECDSA with P-256.
    public static let p256AES128 = CipherSuite(rawValue: 0x0002)
    /// X25519, ChaCha20-Poly1305, SHA-256, Ed25519.
    public static let x25519ChaChaPoly = CipherSuite(rawValue: 0x0003)
    /// X448, AES-256-GCM, SHA-512, Ed448.
    public static let x448AES256 = CipherSuite(rawValue: 0x0004)
    /// P-521, AES-256-GCM, SHA-512, ECDSA with P-521.
    public static let p521AES256 = CipherSuite(rawValue: 0x0005)
    /// X448, ChaCha20-Poly1305, SHA-512, Ed448.
    public static let x448ChaChaPoly = CipherSuite(rawValue: 0x0006)
    /// P-384, AES-256-GCM, SHA-384, ECDSA with P-384.
    public static let p384AES256 = CipherSuite(rawValue: 0x0007)

    /// The suites that can be used: all of the RFC.
    public static let usable: [CipherSuite] = (1...7).map { CipherSuite(rawValue: $0) }

    /// The RFC's name of a suite, or its number.
    public var description: String { CipherSuite.names[rawValue] ?? "cipher suite \(rawValue)" }

    private static let names: [UInt16: String] = [
        0x0001: "MLS_128_DHKEMX25519_AES128GCM_SHA256_Ed25519",
        0x0002: "MLS_128_DHKEMP256_AES128GCM_SHA256_P256",
        0x0003: "MLS_128_DHKEMX25519_CHACHA20POLY1305_SHA256_Ed25519",
        0x0004: "MLS_256_DHKEMX448_AES256GCM_SHA512_Ed448",
        0x0005: "MLS_256_DHKEMP521_AES256GCM_SHA512_P521",
        0x0006: "MLS_256_DHKEMX448_CHACHA20POLY1305_SHA512_Ed448",
        0x0007: "MLS_256_DHKEMP384_AES256GCM_SHA384_P384",
    ]
}
