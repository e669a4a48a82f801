import FoundationEssentials

/// The Advanced Encryption Standard (FIPS 197).
public enum AES {
    /// AES in Galois/Counter Mode (NIST SP 800-38D) with a tag of 16 bytes.
    public enum GCM {}
}

extension AES.GCM {
    /// Encrypts and authenticates `message`.
    ///
    /// - Parameters:
    ///   - key: a key of 16, 24 or 32 bytes.
    ///   - nonce: never the same twice under one key; `nil` draws a random one of 12 bytes.
    /// - Throws: `incorrectKeySize`.
    @inlinable
    public static func seal<Plaintext: DataProtocol>(
        _ message: Plaintext,
        using key: SymmetricKey,
        nonce: Nonce? = nil
    ) throws(CryptoKitError) -> SealedBox {
        let none = unsafe UnsafeRawBufferPointer(start: nil, count: 0)
        return try unsafe message.withContiguousBytes { message in
            unsafe sealing(message, key, nonce, none)
        }.get()
    }

    /// Encrypts and authenticates `message`, and authenticates `header`, which is not part of the box.
    ///
    /// - Parameters:
    ///   - key: a key of 16, 24 or 32 bytes.
    ///   - nonce: never the same twice under one key; `nil` draws a random one of 12 bytes.
    /// - Throws: `incorrectKeySize`.
    @inlinable
    public static func seal<Plaintext: DataProtocol, AuthenticatedData: DataProtocol>(
        _ message: Plaintext,
        using key: SymmetricKey,
        nonce: Nonce? = nil,
        authenticating header: AuthenticatedData
    ) throws(CryptoKitError) -> SealedBox {
        try unsafe message.withContiguousBytes { message in
            unsafe header.withContiguousBytes { header in
                unsafe sealing(message, key, nonce, header)
            }
        }.get()
    }

    /// The message of a box.
    ///
    /// - Throws: `incorrectKeySize`; `authenticationFailure` when key, box and header do not belong together.
    public static func open(_ sealedBox: SealedBox, using key: SymmetricKey) throws(CryptoKitError) -> Data {
        try unsafe opening(sealedBox, key, UnsafeRawBufferPointer(start: nil, count: 0)).get()
    }

    /// The message of a box that was sealed with `header`.
    ///
    /// - Throws: `incorrectKeySize`; `authenticationFailure` when key, box and header do not belong together.
    @inlinable
    public static func open<AuthenticatedData: DataProtocol>(
        _ sealedBox: SealedBox,
        using key: SymmetricKey,
        authenticating header: AuthenticatedData
    ) throws(CryptoKitError) -> Data {
        try unsafe header.withContiguousBytes { header in
            unsafe opening(sealedBox, key, header)
        }.get()
    }

    @usableFromInline
    static func sealing(
        _ message: UnsafeRawBufferPointer,
        _ key: SymmetricKey,
        _ nonce: Nonce?,
        _ header: UnsafeRawBufferPointer
    ) -> Result<SealedBox, CryptoKitError> {
        Result { () throws(CryptoKitError) -> SealedBox in
            let nonce = nonce ?? Nonce()
            return try unsafe SealedBox(
                bytes: AEAD.seal(message, CipherAlgorithm.aesGCM(key), key, nonce: nonce.bytes, authenticating: header)
            )
        }
    }

    @usableFromInline
    static func opening(
        _ box: SealedBox,
        _ key: SymmetricKey,
        _ header: UnsafeRawBufferPointer
    ) -> Result<Data, CryptoKitError> {
        Result { () throws(CryptoKitError) -> Data in
            try unsafe AEAD.open(box.bytes, CipherAlgorithm.aesGCM(key), key, authenticating: header)
        }
    }
}
