import FoundationEssentials

extension AES.GCM {
    /// How many bytes the combined form has beyond its message: the nonce's 12 and the tag's 16.
    public static let combinedOverhead = 12 + CipherContext.tagSize

    /// Encrypts and authenticates a secret, as nonce[12] ‖ ciphertext ‖ tag[16].
    ///
    /// - Parameter nonce: a random one where none is given.
    /// - Throws: `incorrectKeySize`.
    public static func seal(
        secret: borrowing SecretBytes,
        using key: SymmetricKey,
        nonce: Nonce? = nil,
        authenticating header: Span<UInt8>
    ) throws(CryptoKitError) -> [UInt8] {
        let box = try unsafe secret.withUnsafeBytes { (secret) throws(CryptoKitError) in
            try unsafe header.withUnsafeBytes { header in unsafe sealing(secret, key, nonce, header) }.get()
        }
        return [UInt8](box.bytes.whole)
    }

    /// The secret of a combined form, in memory of its own.
    ///
    /// - Throws: `incorrectKeySize`; `incorrectParameterSize` below 28 bytes; `authenticationFailure` when key, box and
    ///   header do not belong together.
    public static func open(
        secret combined: Span<UInt8>,
        using key: SymmetricKey,
        authenticating header: Span<UInt8>
    ) throws(CryptoKitError) -> SecretBytes {
        let algorithm = try CipherAlgorithm.aesGCM(key)
        let size = combined.count - combinedOverhead
        guard size >= 0 else { throw .incorrectParameterSize }
        let context = ThreadContexts.current.cipher(algorithm)
        defer { context.forgetKey() }
        return try unsafe SecretBytes(count: size) { (text) throws(CryptoKitError) in
            let isOpen = unsafe combined.withUnsafeBytes { combined in
                guard let start = combined.baseAddress else { return false }
                let nonce = unsafe UnsafeRawBufferPointer(rebasing: combined[..<12])
                let begun = unsafe key.withUnsafeBytes { unsafe context.begin($0, nonce, encrypting: false) }
                return unsafe header.withUnsafeBytes { header in
                    unsafe begun
                        && context.open(
                            UnsafeRawBufferPointer(rebasing: combined[12..<12 + size]),
                            to: text.baseAddress,
                            authenticating: header,
                            tag: start + 12 + size
                        )
                }
            }
            guard isOpen else {
                _ = LibCrypto.lastError()
                throw .authenticationFailure
            }
        }
    }
}
