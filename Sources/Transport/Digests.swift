import CLibSSL

/// What this module needs of cryptography beside TLS itself.
enum Digests {
    /// SHA-1, for the WebSocket handshake only (RFC 6455, section 1.3), where it protects nothing.
    static func sha1(_ bytes: [UInt8]) -> [UInt8] {
        unsafe digest(bytes, EVP_sha1(), size: 20)
    }

    static func sha256(_ bytes: [UInt8]) -> [UInt8] {
        unsafe digest(bytes, EVP_sha256(), size: 32)
    }

    /// Unpredictable bytes.
    static func random(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }

    private static func digest(_ bytes: [UInt8], _ algorithm: OpaquePointer?, size: Int) -> [UInt8] {
        var result = [UInt8](repeating: 0, count: size)
        _ = unsafe EVP_Digest(bytes, bytes.count, &result, nil, algorithm, nil)
        return result
    }
}
