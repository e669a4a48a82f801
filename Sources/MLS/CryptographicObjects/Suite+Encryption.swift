import MildamCrypto

/// Encryption to a key, with a label (RFC 9420, section 5.1.3).
extension Suite {
    /// What an encryption is for (RFC 9420, section 17.7).
    enum EncryptionLabel: String {
        case updatePathNode = "UpdatePathNode"
        case welcome = "Welcome"
    }

    /// `EncryptWithLabel`.
    ///
    /// - Throws: `invalidPublicKey` for bytes that are no key, or a key of low order.
    func encrypt(
        _ message: SymmetricKey,
        to key: HPKEPublicKey,
        _ label: EncryptionLabel,
        context: [UInt8]
    ) throws(MLSError) -> HPKECiphertext {
        let info = Suite.labeled(label.rawValue, context)
        let box = unsafe message.withUnsafeBytes { message in
            Result { () throws(HPKE.Errors) in
                try HPKE.seal(
                    unsafe message.bindMemory(to: UInt8.self).span,
                    to: HPKE.PublicKey(kem: hpke.kem, serialized: key.bytes.span),
                    ciphersuite: hpke,
                    info: info.span
                )
            }
        }
        switch box {
        case .success(let box): return HPKECiphertext(kemOutput: box.encapsulatedKey, ciphertext: box.ciphertext)
        case .failure: throw .invalidPublicKey
        }
    }

    /// `DecryptWithLabel`.
    ///
    /// - Throws: `decryptionFailed`.
    func decrypt(
        _ ciphertext: HPKECiphertext,
        with key: HPKE.PrivateKey,
        _ label: EncryptionLabel,
        context: [UInt8]
    ) throws(MLSError) -> SymmetricKey {
        try decrypt(ciphertext, with: key, label.rawValue, context: context)
    }

    func decrypt(
        _ ciphertext: HPKECiphertext,
        with key: HPKE.PrivateKey,
        _ label: String,
        context: [UInt8]
    ) throws(MLSError) -> SymmetricKey {
        let info = Suite.labeled(label, context)
        do throws(HPKE.Errors) {
            let message = try HPKE.open(
                ciphertext.ciphertext.span,
                encapsulatedKey: ciphertext.kemOutput.span,
                with: key,
                ciphersuite: hpke,
                info: info.span
            )
            return SymmetricKey(message)
        } catch {
            throw .decryptionFailed
        }
    }

    /// Whether something can be encrypted to a key.
    ///
    /// - Parameter tried: whether it is tried; otherwise a key of low order passes.
    func isValid(_ key: HPKEPublicKey, tried: Bool) -> Bool {
        guard let key = try? HPKE.PublicKey(kem: hpke.kem, serialized: key.bytes.span) else { return false }
        return !tried || key.isOfHighOrder
    }

    /// The key pair that follows from a secret: `KEM.DeriveKeyPair`.
    ///
    /// - Throws: `decryptionFailed` when no key follows from it, which never happens by chance.
    func keyPair(from secret: SymmetricKey) throws(MLSError) -> HPKE.PrivateKey {
        do {
            return try HPKE.PrivateKey(deriving: secret, kem: hpke.kem)
        } catch {
            throw .decryptionFailed
        }
    }
}
