import MildamCrypto
import MildamWire

/// An X25519 public key, `age1…` (C2SP age, "The X25519 recipient type").
public struct AgeX25519Recipient: AgeRecipient, Hashable, CustomStringConvertible {
    static let prefix = "age"

    let publicKey: Curve25519.KeyAgreement.PublicKey

    /// The recipient of a public key.
    init(publicKey: Curve25519.KeyAgreement.PublicKey) {
        self.publicKey = publicKey
    }

    /// Reads `age1…`, lower case.
    ///
    /// - Throws: `AgeError.invalidRecipient` for anything else, without a character of it.
    public init(_ text: some StringProtocol) throws(AgeError) {
        guard let (prefix, bytes) = try? Bech32.decode(text), prefix == AgeX25519Recipient.prefix,
            let publicKey = try? Curve25519.KeyAgreement.PublicKey(rawRepresentation: bytes)
        else { throw .invalidRecipient }
        self.init(publicKey: publicKey)
    }

    /// The public key's 32 bytes.
    var bytes: [UInt8] { Array(publicKey.rawRepresentation) }

    /// `age1…`, which is for anyone to see.
    public var description: String { Bech32.encode(bytes, prefix: AgeX25519Recipient.prefix) }

    /// Wraps a file key for this recipient, with a share of its own.
    ///
    /// - Throws: `invalidRecipient` for a public key of low order.
    public func wrap(_ fileKey: AgeFileKey) throws(AgeError) -> [AgeStanza] {
        let ephemeral = Curve25519.KeyAgreement.PrivateKey()
        let share = Array(ephemeral.publicKey.rawRepresentation)
        do {
            // The agreement fails for a key of low order, whose holder would be everyone.
            let secret = try ephemeral.sharedSecretFromKeyAgreement(with: publicKey)
            return [
                AgeStanza(
                    arguments: [AgeX25519.type, Base64.unpadded.encode(share)],
                    body: try fileKey.wrapped(with: AgeX25519.wrappingKey(secret, share: share, recipient: bytes))
                )
            ]
        } catch {
            throw .invalidRecipient
        }
    }
}

/// What wrapping and unwrapping share.
enum AgeX25519 {
    static let type = "X25519"

    /// HKDF-SHA-256(shared secret, salt = share ‖ recipient).
    static func wrappingKey(_ secret: SharedSecret, share: [UInt8], recipient: [UInt8]) -> SymmetricKey {
        secret.hkdfDerivedSymmetricKey(
            using: SHA256.self,
            salt: share + recipient,
            sharedInfo: Array("age-encryption.org/v1/X25519".utf8),
            outputByteCount: 32
        )
    }
}
