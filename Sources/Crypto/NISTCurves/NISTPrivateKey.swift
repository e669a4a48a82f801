import FoundationEssentials

/// A private key on a curve of NIST: a scalar of 32, 48 or 66 bytes, wiped when the last copy goes.
///
/// It is for one use only, which its type says: `P256.KeyAgreement.PrivateKey`, `P256.Signing.PrivateKey` and their like.
public struct NISTPrivateKey<Curve: NISTCurve, Use: NISTKeyUse>: Sendable, CustomStringConvertible, CustomReflectable {
    let key: ECKey
    let storage: SecretStorage

    /// A new random key.
    public init() {
        (key, storage) = ECKey.random(Curve.domain)
    }

    /// A key from its scalar, big-endian, of 32, 48 or 66 bytes, copied.
    ///
    /// - Throws: `incorrectKeySize`; `invalidParameter` for a scalar that is zero, or the group's order and above.
    public init(rawRepresentation: some ContiguousBytes) throws(CryptoKitError) {
        storage = SecretStorage(SecretBytes(copying: rawRepresentation))
        key = try ECKey(Curve.domain, scalar: storage)
    }

    /// A key from 0x04 ‖ X ‖ Y ‖ scalar: 97, 145 or 199 bytes, copied.
    ///
    /// - Throws: `incorrectKeySize`; `invalidParameter` when the point is not the scalar's.
    public init(x963Representation: some ContiguousBytes) throws(CryptoKitError) {
        (key, storage) = try ECKey.pair(Curve.domain, x963: SecretBytes(copying: x963Representation))
    }

    /// The public key that belongs to it.
    public var publicKey: NISTPublicKey<Curve, Use> { NISTPublicKey(key: key.publicKey) }

    /// The scalar of 32, 48 or 66 bytes, in memory that nothing wipes.
    public var rawRepresentation: Data { unsafe storage.withUnsafeBytes { unsafe Data($0) } }

    /// 0x04 ‖ X ‖ Y ‖ scalar: 97, 145 or 199 bytes, in memory that nothing wipes.
    public var x963Representation: Data { key.uncompressed + rawRepresentation }

    /// Runs `body` on the scalar's bytes where they lie; the pointer is valid in it only.
    public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try unsafe storage.bytes.withUnsafeBytes(body)
    }

    /// What it is, and nothing of the key.
    public var description: String { "\(Curve.self).\(Use.name).PrivateKey" }

    /// Empty: a dump shows nothing of the key.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
