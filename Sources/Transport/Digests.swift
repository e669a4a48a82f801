import MildamCrypto

/// What this module needs of cryptography beside TLS itself.
enum Digests {
    /// SHA-1, for the WebSocket handshake only (RFC 6455, section 1.3), where it protects nothing.
    static func sha1(_ bytes: [UInt8]) -> [UInt8] {
        Array(Insecure.SHA1.hash(data: bytes))
    }

    static func sha256(_ bytes: [UInt8]) -> [UInt8] {
        Array(SHA256.hash(data: bytes))
    }

    /// Unpredictable bytes, for WebSocket keys and masks (RFC 6455, sections 4.1 and 5.3).
    static func random(_ count: Int) -> [UInt8] {
        SecureRandom.bytes(count: count)
    }
}
