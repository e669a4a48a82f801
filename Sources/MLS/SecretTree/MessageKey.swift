import MildamCrypto

/// A key and a nonce, for one message (RFC 9420, section 9.1).
struct MessageKey: Sendable {
    let key: SymmetricKey
    let nonce: SymmetricKey

    /// The nonce with the reuse guard in its first four bytes (RFC 9420, section 6.3.1).
    func nonce(guardedBy reuseGuard: UInt32) -> [UInt8] {
        var nonce = unsafe nonce.withUnsafeBytes { unsafe [UInt8]($0) }
        for place in 0..<4 { nonce[place] ^= UInt8(truncatingIfNeeded: reuseGuard >> (24 - 8 * place)) }
        return nonce
    }
}
