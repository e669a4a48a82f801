import MildamCrypto

/// What holds private keys of P-256 and uses them, and never gives one away.
///
/// A key is kept by whoever made it, as an `EnclaveKeyBlob`: to everybody but the enclave it is opaque. There are two:
/// `TPMEnclave`, whose keys never leave a chip, and `SoftwareEnclave` for machines without one, whose keys are in this
/// process's memory while they are used.
public protocol Enclave: Sendable {
    /// Makes a key.
    ///
    /// - Throws: `EnclaveError`.
    func makeKey(
        _ purpose: EnclaveKeyPurpose,
        options: EnclaveKeyOptions
    ) async throws(EnclaveError) -> EnclaveKeyBlob

    /// The secret that this key and another's public key give: the x-coordinate, 32 bytes (NIST SP 800-56A, section
    /// 5.7.1.2).
    ///
    /// - Parameter pin: what the key was made with; `nil` for a key without one.
    /// - Throws: `EnclaveError`; `.wrongPurpose` for a key that signs.
    func sharedSecret(
        with publicKey: P256.KeyAgreement.PublicKey,
        key: EnclaveKeyBlob,
        pin: EnclavePIN?
    ) async throws(EnclaveError) -> SharedSecret

    /// The key's signature of a digest (ECDSA, FIPS 186-5).
    ///
    /// - Parameter pin: what the key was made with; `nil` for a key without one.
    /// - Throws: `EnclaveError`; `.wrongPurpose` for a key that agrees.
    func signature(
        for digest: SHA256Digest,
        key: EnclaveKeyBlob,
        pin: EnclavePIN?
    ) async throws(EnclaveError) -> P256.Signing.ECDSASignature

    /// What the enclave is, and how it does.
    ///
    /// - Throws: `EnclaveError`.
    func status() async throws(EnclaveError) -> EnclaveStatus
}
