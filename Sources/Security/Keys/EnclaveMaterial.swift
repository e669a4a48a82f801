import FoundationEssentials
import MildamCrypto
import MildamEnclave
import MildamKeychain

/// A private key of P-256 that an enclave made. Only the enclave can use it; each use asks for its PIN, if it has one.
struct EnclaveMaterial: PrivateKeyMaterial {
    private let blob: EnclaveKeyBlob
    let publicKey: any PublicKeyMaterial
    let tokenID: String? = kSecAttrTokenIDSecureEnclave

    /// A new key of the enclave in use.
    ///
    /// - Parameter mustHavePIN: whether the key's access control asks for a person.
    static func make(_ purpose: EnclaveKeyPurpose, mustHavePIN: Bool) throws(Refusal) -> EnclaveMaterial {
        let device = try SecKeychain.device()
        let pin = device.pin()
        guard pin != nil || !mustHavePIN else {
            throw Refusal(errSecAuthFailed, "the access control asks for a PIN, and SecKeychain.use was given none")
        }
        let blob = try waiting { () async throws(EnclaveError) in
            try await device.enclave.makeKey(purpose, options: EnclaveKeyOptions(pin: pin))
        }
        return try EnclaveMaterial(blob)
    }

    private init(_ blob: EnclaveKeyBlob) throws(Refusal) {
        self.blob = blob
        publicKey = try CurveSize.p256.publicKey(point: blob.publicKey.x963Representation)
    }

    /// A key as an item keeps it.
    ///
    /// - Throws: `errSecDecode`.
    init(stored: SecretValue) throws(Refusal) {
        do throws(EnclaveError) { blob = try EnclaveKeyBlob(bytes: stored.bytes) } catch { throw Refusal(error) }
        publicKey = try CurveSize.p256.publicKey(point: blob.publicKey.x963Representation)
    }

    var abilities: KeyAbilities {
        switch blob.purpose {
        case .keyAgreement: .agreeing
        case .signing: .signing
        }
    }

    var storedForm: SecretValue { SecretValue(copying: blob.bytes) }

    func decrypt(_ packet: Data, _ parameters: ECIES.Parameters) throws(Refusal) -> Data {
        let read = Result { () throws(ECIESError) in try ECIES.Packet<P256>(combined: packet) }
        let packet = try read.mapError { Refusal($0) }.get()
        let secret = try agree(with: packet.ephemeralPublicKey)
        do throws(ECIESError) {
            let message = try ECIES.open(packet, sharedSecret: secret, parameters: parameters)
            return unsafe message.withUnsafeBytes { unsafe Data($0) }
        } catch {
            throw Refusal(error)
        }
    }

    func sign(_ digest: some Digest, _ form: KeyOperation.SignatureForm) throws(Refusal) -> Data {
        guard let digest = digest as? SHA256Digest else {
            throw Refusal(errSecUnimplemented, "an enclave's key signs digests of SHA-256")
        }
        let device = try SecKeychain.device()
        let pin = blob.hasPIN ? device.pin() : nil
        let signature = try waiting { () async throws(EnclaveError) in
            try await device.enclave.signature(for: digest, key: blob, pin: pin)
        }
        return switch form {
        case .der: signature.derRepresentation
        case .raw: signature.rawRepresentation
        }
    }

    func agree(with point: Data) throws(Refusal) -> SharedSecret {
        let other: P256.KeyAgreement.PublicKey
        do throws(CryptoKitError) { other = try P256.KeyAgreement.PublicKey(x963Representation: point) } catch {
            throw .parameter("the public key is not of the private key's curve")
        }
        return try agree(with: other)
    }

    private func agree(with other: P256.KeyAgreement.PublicKey) throws(Refusal) -> SharedSecret {
        let device = try SecKeychain.device()
        let pin = blob.hasPIN ? device.pin() : nil
        return try waiting { () async throws(EnclaveError) in
            try await device.enclave.sharedSecret(with: other, key: blob, pin: pin)
        }
    }
}
