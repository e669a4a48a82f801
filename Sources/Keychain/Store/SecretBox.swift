import MildamCrypto
import MildamStorage

/// An item's secret under the item's own key: AES-256-GCM, as nonce[12] ‖ ciphertext ‖ tag[16]. What is encrypted is the
/// length in 4 bytes, the secret, and zeros that hide how long it is (``Padding``).
enum SecretBox {
    private static let lengthSize = 4

    /// Seals a secret for its place.
    static func seal(_ secret: SecretValue, under key: SymmetricKey, _ place: [UInt8]) throws(KeychainError) -> [UInt8]
    {
        let padded = unsafe SecretBytes(count: Padding.paddedSize(secret.count)) { padded in
            unsafe padded.storeBytes(of: UInt32(secret.count).bigEndian, as: UInt32.self)
            unsafe secret.withUnsafeBytes { secret in
                unsafe UnsafeMutableRawBufferPointer(rebasing: padded[lengthSize..<lengthSize + secret.count])
                    .copyMemory(from: secret)
            }
        }
        do throws(CryptoKitError) {
            return try AES.GCM.seal(secret: padded, using: key, authenticating: place.span)
        } catch {
            throw .invalidRequest(reason: "a key of a wrong size")
        }
    }

    /// The secret.
    ///
    /// - Returns: `nil` when it was not sealed under this key for this place.
    static func open(_ sealed: [UInt8], under key: SymmetricKey, _ place: [UInt8]) -> SecretValue? {
        guard let padded = try? AES.GCM.open(secret: sealed.span, using: key, authenticating: place.span),
            padded.count >= lengthSize
        else { return nil }
        let span = padded.span
        let count = (0..<lengthSize).reduce(0) { $0 << 8 | Int(span[$1]) }
        guard count <= span.count - lengthSize else { return nil }
        return SecretValue(copying: span.extracting(lengthSize..<lengthSize + count))
    }
}
