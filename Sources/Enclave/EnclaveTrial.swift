import FoundationEssentials
import MildamCrypto

/// One use of a key, to see that it does what it should: what the enclave gives is held against software's own.
public struct EnclaveTrial: Sendable {
    /// What the key was tried for.
    public let purpose: EnclaveKeyPurpose
    /// How long the enclave took.
    public let duration: Duration

    /// Agrees on a secret with a fresh key, or signs a fresh message, as the key is made to.
    ///
    /// - Parameter clock: what measures.
    /// - Throws: `EnclaveError`; `.forgedAnswer` when the secret is not the other side's, or the signature is not the
    ///   key's.
    public init(
        of key: EnclaveKeyBlob,
        in enclave: any Enclave,
        pin: EnclavePIN?,
        clock: ContinuousClock = ContinuousClock()
    ) async throws(EnclaveError) {
        purpose = key.purpose
        let start = clock.now
        switch key.publicKey {
        case .keyAgreement(let publicKey):
            let other = P256.KeyAgreement.PrivateKey()
            let secret = try await enclave.sharedSecret(with: other.publicKey, key: key, pin: pin)
            duration = clock.now - start
            guard let expected = try? other.sharedSecretFromKeyAgreement(with: publicKey), secret == expected else {
                throw .forgedAnswer
            }
        case .signing(let publicKey):
            let digest = SHA256.hash(data: SecureRandom.bytes(count: 32))
            let signature = try await enclave.signature(for: digest, key: key, pin: pin)
            duration = clock.now - start
            guard publicKey.isValidSignature(signature, for: digest) else { throw .forgedAnswer }
        }
    }
}
