import FoundationEssentials
import MildamCrypto
import MildamSystem

/// An enclave for machines without a chip: each key is wrapped under a passphrase, which is given as its PIN.
///
/// While a key is used it is in this process's memory, and whoever has the blob can try passphrases as fast as his
/// machines can run Argon2id. It works on a thread of its own.
public actor SoftwareEnclave: Enclave {
    private let costs: Argon2Costs
    private let executor = ThreadExecutor(name: "enclave")

    /// The thread on which passphrases are worked on.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    /// Makes an enclave.
    ///
    /// - Parameter costs: what a try costs for keys that are made from now on.
    public init(costs: Argon2Costs = .standard) {
        self.costs = costs
    }

    /// Makes a key and wraps it.
    ///
    /// - Throws: `EnclaveError.pinRequired`: there are no software keys without a passphrase.
    public func makeKey(
        _ purpose: EnclaveKeyPurpose,
        options: EnclaveKeyOptions
    ) throws(EnclaveError) -> EnclaveKeyBlob {
        guard let pin = options.pin else { throw .pinRequired }
        guard !Task.isCancelled else { throw .cancelled }
        switch purpose {
        case .keyAgreement:
            let key = P256.KeyAgreement.PrivateKey()
            return try unsafe key.withUnsafeBytes { unsafe wrap($0, .keyAgreement(key.publicKey), pin) }.get()
        case .signing:
            let key = P256.Signing.PrivateKey()
            return try unsafe key.withUnsafeBytes { unsafe wrap($0, .signing(key.publicKey), pin) }.get()
        }
    }

    /// Unwraps the key and agrees.
    public func sharedSecret(
        with publicKey: P256.KeyAgreement.PublicKey,
        key: EnclaveKeyBlob,
        pin: EnclavePIN?
    ) throws(EnclaveError) -> SharedSecret {
        try withScalar(of: key, for: .keyAgreement, pin) { scalar throws(CryptoKitError) in
            try P256.KeyAgreement.PrivateKey(rawRepresentation: scalar).sharedSecretFromKeyAgreement(with: publicKey)
        }
    }

    /// Unwraps the key and signs.
    public func signature(
        for digest: SHA256Digest,
        key: EnclaveKeyBlob,
        pin: EnclavePIN?
    ) throws(EnclaveError) -> P256.Signing.ECDSASignature {
        try withScalar(of: key, for: .signing, pin) { scalar throws(CryptoKitError) in
            try P256.Signing.PrivateKey(rawRepresentation: scalar).signature(for: digest)
        }
    }

    /// What new keys cost.
    public func status() -> EnclaveStatus { .software(costs) }

    private func wrap(
        _ scalar: UnsafeRawBufferPointer,
        _ publicKey: EnclavePublicKey,
        _ pin: EnclavePIN
    ) -> Result<EnclaveKeyBlob, EnclaveError> {
        Result { () throws(EnclaveError) in
            let head = EnclaveKeyBlob.head(.software, publicKey, hasPIN: true)
            let wrapped = try unsafe WrappedKey(wrapping: scalar, head, costs: costs, pin: pin)
            return EnclaveKeyBlob(publicKey: publicKey, hasPIN: true, protection: .software(wrapped))
        }
    }

    private func withScalar<Value>(
        of key: EnclaveKeyBlob,
        for purpose: EnclaveKeyPurpose,
        _ pin: EnclavePIN?,
        _ body: (Data) throws(CryptoKitError) -> Value
    ) throws(EnclaveError) -> Value {
        guard case .software(let wrapped) = key.protection else { throw .wrongKind }
        try key.check(isFor: purpose, pin: pin)
        guard let pin else { throw .pinRequired }
        guard !Task.isCancelled else { throw .cancelled }
        return try wrapped.withScalar(key.head, pin: pin, body)
    }
}
