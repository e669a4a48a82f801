import MildamCrypto
import MildamEnclave
import MildamKeychain

/// Encrypts and decrypts under a key that an enclave holds: the first of the article's three pieces.
///
/// The packets are those of Apple's `eciesEncryptionStandardX963SHA256AESGCM`. Encrypting takes the key's public half
/// alone, and no time of the enclave's; each decryption asks the enclave, which in a hardware TPM takes about a fifth of a
/// second. The key is made with the first encryption, found by its tag from then on, and never replaced by another: where
/// it cannot be used, that is an error.
public struct EnclaveService: Sendable {
    private let key: TaggedEnclaveKey

    /// Works with the key of a tag.
    ///
    /// - Parameters:
    ///   - keychain: where the key lies, in a form that only this enclave can use.
    ///   - tag: what the key is called: 1 to 255 bytes, no control characters.
    ///   - pin: what each use asks for; the software enclave must have one.
    public init(_ enclave: any Enclave, keychain: any Keychain, tag: String, pin: EnclavePIN? = nil) {
        key = TaggedEnclaveKey(enclave, .keyAgreement, keychain: keychain, tag: tag, pin: pin)
    }

    /// Encrypts.
    ///
    /// - Returns: 81 bytes more than the secret has.
    /// - Throws: `EnclaveServiceError`.
    public func encrypt(_ secret: SecretValue) async throws(EnclaveServiceError) -> [UInt8] {
        guard case .keyAgreement(let publicKey) = try await key.findOrMake().publicKey else {
            throw .enclave(.wrongPurpose)
        }
        return try EnclaveService.seal(secret, to: publicKey)
    }

    /// Decrypts; makes no key.
    ///
    /// - Throws: `EnclaveServiceError`: `key(.noKey)`, `ecies(.authenticationFailure)` for what was sealed to another key
    ///   or changed.
    public func decrypt(_ packet: [UInt8]) async throws(EnclaveServiceError) -> SecretValue {
        let packet = try EnclaveService.packet(packet)
        let blob = try key.find()
        let secret: SharedSecret
        do throws(EnclaveError) {
            secret = try await key.enclave.sharedSecret(with: packet.ephemeralPublicKey, key: blob, pin: key.pin)
        } catch {
            throw .enclave(error)
        }
        return try EnclaveService.open(packet, secret)
    }

    private static func packet(_ bytes: [UInt8]) throws(EnclaveServiceError) -> ECIES.Packet<P256> {
        do throws(ECIESError) { return try ECIES.Packet(combined: bytes) } catch { throw .ecies(error) }
    }

    private static func seal(
        _ secret: SecretValue,
        to key: P256.KeyAgreement.PublicKey
    ) throws(EnclaveServiceError) -> [UInt8] {
        do throws(ECIESError) {
            return try secret.withSpan { (span) throws(ECIESError) in Array(try ECIES.seal(span, to: key).combined) }
        } catch {
            throw .ecies(error)
        }
    }

    private static func open(
        _ packet: ECIES.Packet<P256>,
        _ secret: SharedSecret
    ) throws(EnclaveServiceError) -> SecretValue {
        do throws(ECIESError) { return SecretValue(try ECIES.open(packet, sharedSecret: secret)) } catch {
            throw .ecies(error)
        }
    }
}

/// Why a secret was not encrypted or decrypted.
public enum EnclaveServiceError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The key was not found, or not kept.
    case key(EnclaveKeyError)
    /// The enclave refused.
    case enclave(EnclaveError)
    /// It is no packet for this key.
    case ecies(ECIESError)

    /// What happened.
    public var description: String {
        switch self {
        case .key(let error): error.description
        case .enclave(let error): "\(error)"
        case .ecies(let error): error.description
        }
    }
}
