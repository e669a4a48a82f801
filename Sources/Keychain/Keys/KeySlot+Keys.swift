import MildamCrypto

extension KeySlot {
    /// A new slot for a secret, and the key that its content is to be sealed under.
    static func make(
        for secret: SlotSecret,
        _ costs: PassphraseCosts,
        _ keychain: KeychainIdentifier,
        _ now: Int64
    ) async throws(KeychainError) -> (KeySlot, SymmetricKey) {
        var passphrase: Passphrase?
        if secret.kind.stretchesPassphrase {
            passphrase = Passphrase(costs: costs, salt: SecureRandom.bytes(count: KDF.Argon2id.saltByteCount))
        }
        let slot = KeySlot(kind: secret.kind, created: now, passphrase: passphrase, enclave: nil)
        return (slot, try await slot.key(secret, keychain))
    }

    /// The key of a slot for what somebody gave.
    ///
    /// - Throws: `invalidRequest` for a secret of another kind, or of no or too many bytes.
    func key(_ secret: SlotSecret, _ keychain: KeychainIdentifier) async throws(KeychainError) -> SymmetricKey {
        switch secret {
        case .passphrase(let text):
            let part = try await stretched(text)
            return Self.sealingKey([part], kind, keychain)
        case .recoveryCode(let code):
            let part = unsafe code.secret.withUnsafeBytes { unsafe SymmetricKey(data: $0) }
            return Self.sealingKey([part], kind, keychain)
        case .enclavePIN, .enclaveAndPassphrase, .enclaveUnattended:
            throw .enclave(reason: "there is no enclave here")
        }
    }

    private func stretched(_ text: SecretValue) async throws(KeychainError) -> SymmetricKey {
        guard (1...SlotSecret.maximumSize).contains(text.count) else {
            throw .invalidRequest(reason: "a passphrase has 1 to \(SlotSecret.maximumSize) bytes")
        }
        guard let passphrase else { throw .noSuchSlot }
        return SymmetricKey(try passphrase.costs.stretch(text, salt: passphrase.salt))
    }
}
