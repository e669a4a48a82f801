import MildamCrypto
import MildamWire

/// What wrapping and unwrapping for an SSH key share. age's specification does not cover this type of recipient; its
/// definition is age's program (FiloSottile/age, `agessh`).
enum AgeSSH {
    static let type = "ssh-ed25519"

    private static let label = Array("age-encryption.org/v1/ssh-ed25519".utf8)
    /// The label of OAEP.
    static let rsaLabel = Array("age-encryption.org/v1/ssh-rsa".utf8)

    /// What a stanza names its recipient by: the first four bytes of the SHA-256 of the SSH public key, in base64.
    static func tag(_ key: SSHPublicKey) -> String { tag(of: key.bytes) }

    /// The same, of a key of any type.
    static func tag(of key: [UInt8]) -> String { Base64.unpadded.encode(Array(SHA256.hash(data: key)).prefix(4)) }

    /// HKDF-SHA-256(ikm = tweak · own · other, salt = share ‖ recipient), where tweak = HKDF-SHA-256(ikm = empty,
    /// salt = SSH public key), both with the same info.
    ///
    /// age multiplies the shared secret by the tweak. The order does not change the product, and in this one the first
    /// product is of public values.
    ///
    /// - Parameter share: the sender's ephemeral public key; `recipient` the X25519 form of the SSH key.
    /// - Throws: `invalidParameter` when `other` has a low order.
    static func wrappingKey(
        own: Curve25519.KeyAgreement.PrivateKey,
        other: Curve25519.KeyAgreement.PublicKey,
        share: Curve25519.KeyAgreement.PublicKey,
        recipient: Curve25519.KeyAgreement.PublicKey,
        sshKey: SSHPublicKey
    ) throws(CryptoKitError) -> SymmetricKey {
        let tweak = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: SymmetricKey(data: [UInt8]()),
            salt: sshKey.bytes,
            info: label,
            outputByteCount: 32
        )
        let tweaked = try Curve25519.KeyAgreement.PrivateKey(rawRepresentation: tweak)
            .sharedSecretFromKeyAgreement(with: other)
        let secret = try own.sharedSecretFromKeyAgreement(with: .init(rawRepresentation: tweaked))
        return secret.hkdfDerivedSymmetricKey(
            using: SHA256.self,
            salt: share.rawRepresentation + recipient.rawRepresentation,
            sharedInfo: label,
            outputByteCount: 32
        )
    }
}
