import MildamCrypto

/// What the encrypted formats share.
enum SealedFile {
    /// Opens what AES-256-GCM sealed: ciphertext and tag of 16 bytes.
    ///
    /// - Returns: the content in secret memory; `nil` when key, nonce and ciphertext do not belong together, or have
    ///   sizes that do not occur.
    static func open(_ sealed: Span<UInt8>, nonce: [UInt8], tag: [UInt8], key: SymmetricKey) -> SecretBytes? {
        guard nonce.count == 12, tag.count == tagByteCount, let nonce = try? AES.GCM.Nonce(data: nonce),
            var opener = try? AES.GCM.Opener(key: key)
        else { return nil }
        var content = SecretBytes(copying: sealed)
        let isOpen = unsafe content.withUnsafeMutableBytes { memory in
            var span = unsafe MutableSpan<UInt8>(_unsafeBytes: memory)
            return (try? opener.open(inPlace: &span, nonce: nonce, tag: tag.span)) != nil
        }
        guard isOpen else { return nil }
        return content
    }

    /// Opens what AES-256-GCM sealed, its tag at the end.
    static func open(_ sealed: Span<UInt8>, nonce: [UInt8], key: SymmetricKey) -> SecretBytes? {
        guard sealed.count >= tagByteCount else { return nil }
        let end = sealed.count - tagByteCount
        return open(
            sealed.extracting(..<end),
            nonce: nonce,
            tag: (end..<sealed.count).map { sealed[$0] },
            key: key
        )
    }

    /// The key of 32 bytes that PBKDF2 makes of a password.
    static func key(
        _ password: SymmetricKey,
        salt: [UInt8],
        using hash: KDF.PBKDF2.HashFunction,
        rounds: Int
    ) throws(ImportError) -> SymmetricKey {
        try derived {
            try unsafe password.withUnsafeBytes { password in
                try unsafe KDF.PBKDF2.deriveKey(
                    from: password,
                    salt: salt,
                    using: hash,
                    outputByteCount: 32,
                    rounds: rounds
                )
            }
        }
    }

    /// What a key derivation gives. `SymmetricKey` lends its bytes to untyped throws only.
    static func derived(_ body: () throws -> SymmetricKey) throws(ImportError) -> SymmetricKey {
        do { return try body() } catch let error as CryptoKitError { throw .cryptography(error) } catch {
            throw .cryptography(.incorrectParameterSize)
        }
    }

    static let tagByteCount = 16
}
