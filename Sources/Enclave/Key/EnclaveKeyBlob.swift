import MildamCrypto

/// A key that an enclave made, in the form in which it is kept: useless without that enclave, and without its PIN if it
/// has one.
///
/// It is not secret, but who deletes it deletes the key.
public struct EnclaveKeyBlob: Sendable, Hashable {
    /// Which enclave made it.
    public enum Kind: Sendable, Hashable {
        /// A TPM 2.0.
        case tpm
        /// Software.
        case software
    }

    /// The public half.
    public let publicKey: EnclavePublicKey
    /// Whether each use asks for a PIN.
    public let hasPIN: Bool
    let protection: Protection

    /// What keeps the private half.
    enum Protection: Sendable, Hashable {
        case tpm(TPMProtectedKey)
        case software(WrappedKey)
    }

    /// Which enclave made it.
    public var kind: Kind {
        switch protection {
        case .tpm: .tpm
        case .software: .software
        }
    }

    /// What the key is for.
    public var purpose: EnclaveKeyPurpose { publicKey.purpose }

    /// - Throws: `wrongPurpose`, `pinRequired` and `pinUnexpected`, before anybody asks a TPM, which would count it.
    func check(isFor purpose: EnclaveKeyPurpose, pin: EnclavePIN?) throws(EnclaveError) {
        guard self.purpose == purpose else { throw .wrongPurpose }
        switch (hasPIN, pin) {
        case (true, nil): throw .pinRequired
        case (false, .some): throw .pinUnexpected
        default: break
        }
    }
}
