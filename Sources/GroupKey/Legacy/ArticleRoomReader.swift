import FoundationEssentials
import MildamCrypto

/// Reads what the iOS group chat that Mildam grew from wrote. It never writes, and no live room can reach it.
///
/// Its room keys were wrapped under X25519(static, static) → HKDF-SHA256 with the fixed salt "GroupKeySalt" and no context,
/// sealed with ChaChaPoly; its messages were JSON, sealed under the room key, as base64 of the combined box.
public struct ArticleRoomReader: Sendable {
    private let key: SymmetricKey

    /// Opens a wrapped room key: the `combined` box that lay under the recipient's name.
    ///
    /// - Throws: ``ArticleRoomError/wrongKeyOrDamaged``: the format cannot tell the two apart.
    public init(
        envelope: Data,
        from sender: Curve25519.KeyAgreement.PublicKey,
        to recipient: Curve25519.KeyAgreement.PrivateKey
    ) throws(ArticleRoomError) {
        let wrapping = try ArticleRoomReader.pairwiseKey(recipient, sender)
        do {
            key = SymmetricKey(data: try ChaChaPoly.open(ChaChaPoly.SealedBox(combined: envelope), using: wrapping))
        } catch {
            throw .wrongKeyOrDamaged
        }
    }

    /// The form without an envelope: messages directly under the key that two people derive.
    public init(
        pairwise mine: Curve25519.KeyAgreement.PrivateKey,
        _ theirs: Curve25519.KeyAgreement.PublicKey
    ) throws(ArticleRoomError) {
        key = try ArticleRoomReader.pairwiseKey(mine, theirs)
    }

    /// Opens one message.
    ///
    /// - Parameter text: base64 of the combined box.
    /// - Returns: the JSON that the app had encoded.
    public func message(base64 text: String) throws(ArticleRoomError) -> Data {
        guard let combined = Data(base64Encoded: text) else { throw .notBase64 }
        do {
            return try ChaChaPoly.open(ChaChaPoly.SealedBox(combined: combined), using: key)
        } catch {
            throw .wrongKeyOrDamaged
        }
    }

    private static func pairwiseKey(
        _ mine: Curve25519.KeyAgreement.PrivateKey,
        _ theirs: Curve25519.KeyAgreement.PublicKey
    ) throws(ArticleRoomError) -> SymmetricKey {
        do {
            return try mine.sharedSecretFromKeyAgreement(with: theirs).hkdfDerivedSymmetricKey(
                using: SHA256.self,
                salt: Array("GroupKeySalt".utf8),
                sharedInfo: [UInt8](),
                outputByteCount: 32
            )
        } catch {
            throw .wrongKeyOrDamaged
        }
    }
}

/// Why an old envelope or message does not open.
public enum ArticleRoomError: Error, Equatable, Sendable {
    /// The message is not base64.
    case notBase64
    /// Another key sealed it, or it is damaged; the format cannot tell which.
    case wrongKeyOrDamaged
}
