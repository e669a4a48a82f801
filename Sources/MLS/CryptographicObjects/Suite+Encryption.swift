import MildamCrypto

/// Encryption to a key, with a label (RFC 9420, section 5.1.3).
extension Suite {
    /// What an encryption is for (RFC 9420, section 17.7).
    enum EncryptionLabel: String {
        case updatePathNode = "UpdatePathNode"
        case welcome = "Welcome"
    }

    /// What encryptions are for, and belong to: made once for many. Of a Welcome it is as long as the tree.
    ///
    ///     struct {
    ///       opaque label<V>;
    ///       opaque context<V>;
    ///     } EncryptContext;
    func encryptContext(_ label: EncryptionLabel, _ context: [UInt8]) -> HPKE.HashedInfo {
        let info = Suite.labeled(label.rawValue, context)
        return HPKE.HashedInfo(info.span, ciphersuite: hpke)
    }

    /// `EncryptWithLabel`.
    ///
    /// - Parameter ephemeral: a key for this one encryption; one is drawn, unless given.
    /// - Throws: `invalidPublicKey` for bytes that are no key, or a key of low order.
    func encrypt(
        _ message: SymmetricKey,
        to key: HPKEPublicKey,
        _ context: HPKE.HashedInfo,
        ephemeral: HPKE.PrivateKey? = nil
    ) throws(MLSError) -> HPKECiphertext {
        let ephemeral = ephemeral ?? .generate(kem: hpke.kem)
        let box = unsafe message.withUnsafeBytes { message in
            Result { () throws(HPKE.Errors) in
                try HPKE.seal(
                    unsafe message.bindMemory(to: UInt8.self).span,
                    to: HPKE.PublicKey(kem: hpke.kem, serialized: key.bytes.span),
                    context,
                    ephemeral: ephemeral
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

    /// Whether something can be encrypted to a key: the suite has it, and its order is not low.
    func isValid(_ key: HPKEPublicKey) -> Bool {
        let key = try? HPKE.PublicKey(kem: hpke.kem, serialized: key.bytes.span)
        return key?.isOfHighOrder ?? false
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

extension Suite {
    /// A new key pair.
    func generateKeyPair(_ randomness: Randomness) -> HPKE.PrivateKey {
        HPKE.PrivateKey.generate(kem: hpke.kem, from: randomness)
    }

    /// Ephemeral keys for encryptions that are made side by side: drawn one after the other, so that a source that is no
    /// generator gives each the same again; `nil` where each may draw its own.
    func ephemeralKeys(_ count: Int, _ randomness: Randomness) -> [HPKE.PrivateKey]? {
        randomness.isSystem ? nil : (0..<count).map { _ in generateKeyPair(randomness) }
    }
}
