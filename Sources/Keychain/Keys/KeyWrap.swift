import MildamCrypto

/// One key under another: AES-256-GCM (NIST SP 800-38D), as nonce[12] ‖ ciphertext ‖ tag[16].
///
/// What the key is for is authenticated with it, so that no wrapped key can take another's place.
enum KeyWrap {
    /// Wraps a key.
    static func wrap(
        _ secret: borrowing SecretBytes,
        under key: SymmetricKey,
        for purpose: [UInt8]
    ) throws(KeychainError) -> [UInt8] {
        do throws(CryptoKitError) {
            return try AES.GCM.seal(secret: secret, using: key, authenticating: purpose.span)
        } catch {
            throw .invalidRequest(reason: "a key of a wrong size")
        }
    }

    /// Unwraps a key of `count` bytes.
    ///
    /// - Returns: `nil` when it does not open, or is of another size.
    static func unwrap(
        _ wrapped: [UInt8],
        count: Int,
        under key: SymmetricKey,
        for purpose: [UInt8]
    ) -> SecretBytes? {
        guard wrapped.count == count + AES.GCM.combinedOverhead else { return nil }
        return try? AES.GCM.open(secret: wrapped.span, using: key, authenticating: purpose.span)
    }
}
