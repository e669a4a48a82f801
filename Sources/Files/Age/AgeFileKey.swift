import MildamCrypto

/// The key of one file: 16 random bytes, wrapped in its header and used for nothing but to derive two others.
public struct AgeFileKey: Sendable {
    static let size = 16
    /// Bytes of a wrapped key: the key and a tag.
    static let wrappedSize = size + AgePayload.tagSize

    private let key: SymmetricKey

    /// A new random key.
    init() {
        key = SymmetricKey(size: .bits128)
    }

    /// A key that was wrapped: 16 bytes.
    init(_ bytes: consuming SecretBytes) {
        key = SymmetricKey(bytes)
    }

    /// A copy of the key, the caller's to wipe.
    var bytes: [UInt8] { unsafe key.withUnsafeBytes { unsafe [UInt8]($0) } }

    /// The key of the header's HMAC.
    var headerKey: SymmetricKey {
        HKDF<SHA256>.deriveKey(inputKeyMaterial: key, info: Array("header".utf8), outputByteCount: 32)
    }

    /// Seals the chunks of the content.
    ///
    /// - Parameter nonce: the payload's nonce, 16 bytes.
    func payloadSealer(nonce: [UInt8]) throws(AgeError) -> ChaChaPoly.Sealer {
        do {
            return try ChaChaPoly.Sealer(key: payloadKey(nonce: nonce))
        } catch {
            throw .cryptography(error)
        }
    }

    /// Opens the chunks of the content.
    ///
    /// - Parameter nonce: the payload's nonce, 16 bytes.
    func payloadOpener(nonce: [UInt8]) throws(AgeError) -> ChaChaPoly.Opener {
        do {
            return try ChaChaPoly.Opener(key: payloadKey(nonce: nonce))
        } catch {
            throw .cryptography(error)
        }
    }

    private func payloadKey(nonce: [UInt8]) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(inputKeyMaterial: key, salt: nonce, info: Array("payload".utf8), outputByteCount: 32)
    }

    /// The key encrypted under a wrapping key that is used once (its nonce is zero): 32 bytes.
    func wrapped(with wrappingKey: SymmetricKey) throws(CryptoKitError) -> [UInt8] {
        var sealer = try ChaChaPoly.Sealer(key: wrappingKey)
        var body = bytes
        try sealer.seal(inPlace: &body, nonce: try AgeFileKey.wrappingNonce)
        return body
    }

    /// The key that was wrapped.
    ///
    /// - Parameter body: 32 bytes. A longer one could be made to open under several keys, which would tell its sender
    ///   which of them the reader holds.
    /// - Throws: `incorrectParameterSize`; `authenticationFailure` when it was wrapped with another key, or damaged.
    init(unwrapping body: [UInt8], with wrappingKey: SymmetricKey) throws(CryptoKitError) {
        guard body.count == AgeFileKey.wrappedSize else { throw .incorrectParameterSize }
        var opener = try ChaChaPoly.Opener(key: wrappingKey)
        let nonce = try AgeFileKey.wrappingNonce
        self.init(
            try unsafe SecretBytes(count: AgeFileKey.size) { (memory) throws(CryptoKitError) in
                unsafe memory.copyBytes(from: body.prefix(AgeFileKey.size))
                var text = unsafe MutableSpan<UInt8>(_unsafeBytes: memory)
                try opener.open(inPlace: &text, nonce: nonce, tag: body.span.extracting(AgeFileKey.size...))
            }
        )
    }

    private static var wrappingNonce: ChaChaPoly.Nonce {
        get throws(CryptoKitError) { try ChaChaPoly.Nonce(data: [UInt8](repeating: 0, count: 12)) }
    }
}
