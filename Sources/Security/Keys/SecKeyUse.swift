import FoundationEssentials
import MildamCrypto

/// What is done with a key.
public enum SecKeyOperationType: Int, Sendable {
    /// `SecKeyCreateSignature`.
    case sign = 0
    /// `SecKeyVerifySignature`.
    case verify = 1
    /// `SecKeyCreateEncryptedData`.
    case encrypt = 2
    /// `SecKeyCreateDecryptedData`.
    case decrypt = 3
    /// `SecKeyCopyKeyExchangeResult`.
    case keyExchange = 4
}

/// Whether the key can do this with this algorithm.
public func SecKeyIsAlgorithmSupported(
    _ key: SecKey,
    _ operation: SecKeyOperationType,
    _ algorithm: SecKeyAlgorithm
) -> Bool {
    guard let meaning = try? KeyOperation(algorithm) else { return false }
    let isInEnclave = (try? key.privateKey().tokenID) != nil
    return switch (operation, meaning) {
    case (.sign, .signature(let hash, _, _)): key.abilities.contains(.signing) && (!isInEnclave || hash == .sha256)
    case (.verify, .signature): !key.isPrivate
    case (.encrypt, .encryption): !key.isPrivate
    case (.decrypt, .encryption), (.keyExchange, .keyExchange): key.abilities.contains(.agreeing)
    default: false
    }
}

/// Encrypts for the holder of the private key.
///
/// - Parameters:
///   - key: the public key.
///   - algorithm: one of `ecies…`.
///   - plaintext: up to 64 MiB.
///   - error: where an error goes.
public func SecKeyCreateEncryptedData(
    _ key: SecKey,
    _ algorithm: SecKeyAlgorithm,
    _ plaintext: CFData,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    unsafe unless(error) { () throws(Refusal) in
        guard case .encryption(let parameters) = try KeyOperation(algorithm) else {
            throw .parameter("\(algorithm.rawValue) does not encrypt")
        }
        guard !key.isPrivate else { throw .parameter("encryption takes a public key") }
        return try key.publicMaterial.encrypt(plaintext, parameters)
    }
}

/// Decrypts with a private key.
///
/// - Returns: `nil`, and an `errSecDecode`, for what was sealed to another key, with another algorithm, or was changed.
public func SecKeyCreateDecryptedData(
    _ key: SecKey,
    _ algorithm: SecKeyAlgorithm,
    _ ciphertext: CFData,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    unsafe unless(error) { () throws(Refusal) in
        guard case .encryption(let parameters) = try KeyOperation(algorithm) else {
            throw .parameter("\(algorithm.rawValue) does not decrypt")
        }
        return try key.usable(for: .agreeing).decrypt(ciphertext, parameters)
    }
}

/// Signs with a private key.
///
/// - Parameters:
///   - key: the private key.
///   - algorithm: one of `ecdsaSignature…`.
///   - dataToSign: the message, or its digest.
///   - error: where an error goes.
public func SecKeyCreateSignature(
    _ key: SecKey,
    _ algorithm: SecKeyAlgorithm,
    _ dataToSign: CFData,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    unsafe unless(error) { () throws(Refusal) in
        let (digest, form) = try KeyOperation.digest(of: dataToSign, algorithm)
        return try key.usable(for: .signing).sign(digest, form)
    }
}

/// Whether a signature is this public key's over the message, or over the digest.
///
/// - Returns: `false`, and an `errSecVerifyFailed`, for another's, and for what is no signature.
public func SecKeyVerifySignature(
    _ key: SecKey,
    _ algorithm: SecKeyAlgorithm,
    _ signedData: CFData,
    _ signature: CFData,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> Bool {
    unsafe unless(error) { () throws(Refusal) in
        let (digest, form) = try KeyOperation.digest(of: signedData, algorithm)
        guard !key.isPrivate else { throw .parameter("verification takes a public key") }
        guard key.publicMaterial.verify(signature, form, of: digest) else {
            throw Refusal(errSecVerifyFailed, "the signature is not that of this key over these data")
        }
        return true
    } ?? false
}

extension KeyOperation {
    /// The digest of what is signed, and how the signature is written.
    fileprivate static func digest(
        of data: Data,
        _ algorithm: SecKeyAlgorithm
    ) throws(Refusal) -> (any Digest, SignatureForm) {
        guard case .signature(let hash, let isDigest, let form) = try KeyOperation(algorithm) else {
            throw .parameter("\(algorithm.rawValue) is no signature")
        }
        return (isDigest ? try hash.digest(bytes: data) : hash.digest(of: data), form)
    }
}

extension SecKey {
    /// The private key, when it can do this.
    func usable(for ability: KeyAbilities) throws(Refusal) -> any PrivateKeyMaterial {
        let material = try privateKey()
        guard material.abilities.contains(ability) else {
            throw Refusal(errSecUnimplemented, "an enclave's key signs or decrypts, as it was made to, and never both")
        }
        return material
    }
}
