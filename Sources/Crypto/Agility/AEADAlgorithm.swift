/// An AEAD that a protocol learns at run time, with keys and nonces that the protocol derives. Tags have 16 bytes.
public enum AEADAlgorithm: CaseIterable, Sendable {
    /// AES-128-GCM.
    case aes128GCM
    /// AES-256-GCM.
    case aes256GCM
    /// ChaCha20-Poly1305.
    case chaChaPoly

    /// The size of a key in bytes: 16 or 32.
    public var keyByteCount: Int { algorithm.keySize }
    /// The size of a nonce in bytes.
    public var nonceByteCount: Int { 12 }
    /// The size of a tag in bytes.
    public var tagByteCount: Int { CipherContext.tagSize }

    /// Encrypts and authenticates: ciphertext ‖ tag. A nonce is used once with a key.
    ///
    /// - Throws: `incorrectKeySize`; `incorrectParameterSize` for a nonce of another size than 12 bytes.
    public func seal(
        _ message: Span<UInt8>,
        using key: SymmetricKey,
        nonce: Span<UInt8>,
        authenticating header: Span<UInt8>
    ) throws(CryptoKitError) -> [UInt8] {
        try check(key, nonce)
        let size = message.count + CipherContext.tagSize
        let context = ThreadContexts.current.cipher(algorithm)
        defer { context.forgetKey() }
        var isSealed = false
        let sealed = unsafe [UInt8](unsafeUninitializedCapacity: size) { output, count in
            let output = UnsafeMutableRawPointer(output.baseAddress)
            isSealed =
                unsafe begin(context, key, nonce, encrypting: true)
                && message.withUnsafeBytes { message in
                    guard let output = unsafe output else { return false }
                    return unsafe header.withUnsafeBytes { header in
                        unsafe context.seal(message, to: output, authenticating: header, tag: output + message.count)
                    }
                }
            count = isSealed ? size : 0
        }
        guard isSealed else { throw LibCrypto.lastError() }
        return sealed
    }

    /// The message of ciphertext ‖ tag.
    ///
    /// - Throws: `authenticationFailure`; `incorrectKeySize`; `incorrectParameterSize` for a nonce of another size than 12
    ///   bytes, and for less than a tag.
    public func open(
        _ sealed: Span<UInt8>,
        using key: SymmetricKey,
        nonce: Span<UInt8>,
        authenticating header: Span<UInt8>
    ) throws(CryptoKitError) -> [UInt8] {
        try check(key, nonce)
        let size = sealed.count - CipherContext.tagSize
        guard size >= 0 else { throw .incorrectParameterSize }
        let context = ThreadContexts.current.cipher(algorithm)
        defer { context.forgetKey() }
        var isOpen = false
        let message = unsafe [UInt8](unsafeUninitializedCapacity: size) { output, count in
            let output = UnsafeMutableRawPointer(output.baseAddress)
            isOpen =
                unsafe begin(context, key, nonce, encrypting: false)
                && sealed.withUnsafeBytes { sealed in
                    guard let start = sealed.baseAddress else { return false }
                    return unsafe header.withUnsafeBytes { header in
                        unsafe context.open(
                            UnsafeRawBufferPointer(rebasing: sealed[..<size]),
                            to: output,
                            authenticating: header,
                            tag: start + size
                        )
                    }
                }
            count = isOpen ? size : 0
        }
        guard isOpen else {
            _ = LibCrypto.lastError()
            throw .authenticationFailure
        }
        return message
    }

    private func check(_ key: SymmetricKey, _ nonce: Span<UInt8>) throws(CryptoKitError) {
        guard key.byteCount == keyByteCount else { throw .incorrectKeySize }
        guard nonce.count == nonceByteCount else { throw .incorrectParameterSize }
    }

    private func begin(_ context: CipherContext, _ key: SymmetricKey, _ nonce: Span<UInt8>, encrypting: Bool) -> Bool {
        unsafe key.withUnsafeBytes { key in
            unsafe nonce.withUnsafeBytes { nonce in unsafe context.begin(key, nonce, encrypting: encrypting) }
        }
    }

    private var algorithm: CipherAlgorithm {
        switch self {
        case .aes128GCM: .aes128GCM
        case .aes256GCM: .aes256GCM
        case .chaChaPoly: .chaCha20Poly1305
        }
    }
}
