import FoundationEssentials
import MildamCrypto
import MildamEnclave

extension KeySlot {
    /// A new slot for a secret, and the key that its content is to be sealed under.
    ///
    /// For an enclave a key of its own is made there; it agrees with one that is forgotten at once.
    static func make(
        for secret: SlotSecret,
        _ costs: PassphraseCosts,
        _ keychain: KeychainIdentifier,
        _ now: Int64,
        _ enclave: (any Enclave)?
    ) async throws(KeychainError) -> (KeySlot, SymmetricKey) {
        var passphrase: Passphrase?
        if secret.kind.stretchesPassphrase {
            passphrase = Passphrase(costs: costs, salt: SecureRandom.bytes(count: KDF.Argon2id.saltByteCount))
        }
        var part: EnclavePart?
        if secret.kind.usesEnclave {
            guard let enclave else {
                throw .absentEnclave(.missing, reason: "there is no TPM here that could hold a key")
            }
            let blob: EnclaveKeyBlob
            do throws(EnclaveError) {
                blob = try await enclave.makeKey(.keyAgreement, options: EnclaveKeyOptions(pin: try secret.pin()))
            } catch {
                throw KeychainError(error)
            }
            let peer = P256.KeyAgreement.PrivateKey().publicKey
            part = EnclavePart(blob: blob.bytes, peer: [UInt8](peer.x963Representation))
        }
        let slot = KeySlot(kind: secret.kind, created: now, passphrase: passphrase, enclave: part)
        return (slot, try await slot.key(secret, keychain, enclave))
    }

    /// The key of a slot for what somebody gave.
    ///
    /// - Throws: `invalidRequest` for a secret of no or too many bytes; `wrongSecret` for a PIN that the enclave refuses;
    ///   `enclave`, `absentEnclave`.
    func key(
        _ secret: SlotSecret,
        _ keychain: KeychainIdentifier,
        _ enclave: (any Enclave)?
    ) async throws(KeychainError) -> SymmetricKey {
        var parts: [SymmetricKey] = []
        // The enclave first: it counts wrong PINs, and a chip that is not there needs no Argon2id.
        if let part = self.enclave { parts.append(try await agree(part, secret, enclave)) }
        switch secret {
        case .passphrase(let text), .enclaveAndPassphrase(let text): parts.append(try stretched(text))
        case .recoveryCode(let code):
            parts.append(unsafe code.secret.withUnsafeBytes { unsafe SymmetricKey(data: $0) })
        case .enclavePIN, .enclaveUnattended: break
        }
        return Self.sealingKey(parts, kind, keychain)
    }

    /// What the enclave's key and the slot's own come to.
    private func agree(
        _ part: EnclavePart,
        _ secret: SlotSecret,
        _ enclave: (any Enclave)?
    ) async throws(KeychainError) -> SymmetricKey {
        guard let enclave else {
            throw .absentEnclave(.missing, reason: "the TPM that this slot needs is not here; use another way")
        }
        guard let peer = try? P256.KeyAgreement.PublicKey(x963Representation: part.peer) else { throw .wrongSecret }
        do throws(EnclaveError) {
            let blob = try EnclaveKeyBlob(bytes: part.blob)
            let shared = try await enclave.sharedSecret(with: peer, key: blob, pin: try secret.pin())
            return unsafe shared.withUnsafeBytes { unsafe SymmetricKey(data: $0) }
        } catch {
            throw KeychainError(error)
        }
    }

    private func stretched(_ text: SecretValue) throws(KeychainError) -> SymmetricKey {
        guard (1...SlotSecret.maximumSize).contains(text.count) else {
            throw .invalidRequest(reason: "a passphrase has 1 to \(SlotSecret.maximumSize) bytes")
        }
        guard let passphrase else { throw .noSuchSlot }
        return SymmetricKey(try passphrase.costs.stretch(text, salt: passphrase.salt))
    }
}

extension SlotSecret {
    /// What the enclave's key asks for.
    fileprivate func pin() throws(EnclaveError) -> EnclavePIN? {
        guard case .enclavePIN(let pin) = self else { return nil }
        return try EnclavePIN(unsafe pin.withUnsafeBytes { unsafe SecretBytes(copying: $0) })
    }
}

extension KeychainError {
    /// What an enclave's error means for a keychain.
    init(_ error: EnclaveError) {
        switch error {
        case .wrongPIN: self = .wrongSecret
        case .lockedOut(let seconds): self = .tooManyTries(seconds: seconds)
        case .system(let error): self = .io(error)
        case .absent(_, let absence): self = .absentEnclave(absence, reason: error.description)
        default: self = .enclave(reason: error.description)
        }
    }
}
