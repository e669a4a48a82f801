import FoundationEssentials

/// A public key on a curve of NIST: a point. A coordinate has 32, 48 or 66 bytes.
///
/// It is for one use only, which its type says: `P256.KeyAgreement.PublicKey`, `P256.Signing.PublicKey` and their like.
public struct NISTPublicKey<Curve: NISTCurve, Use: NISTKeyUse>: Hashable, Sendable {
    let key: ECKey

    /// A key from X ‖ Y: 64, 96 or 132 bytes.
    ///
    /// - Throws: `incorrectKeySize`; `invalidParameter` for what is no point of the curve.
    public init(rawRepresentation: some ContiguousBytes) throws(CryptoKitError) {
        key = try ECKey(Curve.domain, raw: rawRepresentation)
    }

    /// A key from 0x04 ‖ X ‖ Y: 65, 97 or 133 bytes (SEC 1, section 2.3.3).
    ///
    /// - Throws: `incorrectKeySize`; `invalidParameter` for what is no point of the curve.
    public init(x963Representation: some ContiguousBytes) throws(CryptoKitError) {
        key = try ECKey(Curve.domain, point: x963Representation, size: Curve.domain.uncompressedSize)
    }

    /// A key from 0x02 or 0x03 ‖ X: 33, 49 or 67 bytes (SEC 1, section 2.3.3).
    ///
    /// - Throws: `incorrectKeySize`; `invalidParameter` for what is no point of the curve.
    public init(compressedRepresentation: some ContiguousBytes) throws(CryptoKitError) {
        key = try ECKey(Curve.domain, point: compressedRepresentation, size: Curve.domain.compressedSize)
    }

    init(key: ECKey) {
        self.key = key
    }

    /// X ‖ Y: 64, 96 or 132 bytes.
    public var rawRepresentation: Data { Data(key.uncompressed.dropFirst()) }

    /// 0x04 ‖ X ‖ Y: 65, 97 or 133 bytes.
    public var x963Representation: Data { key.uncompressed }

    /// 0x02 or 0x03 ‖ X: 33, 49 or 67 bytes.
    public var compressedRepresentation: Data { key.compressed }

    /// Whether both are the same point.
    public static func == (left: Self, right: Self) -> Bool { left.key.uncompressed == right.key.uncompressed }

    /// Feeds the point to the hasher.
    public func hash(into hasher: inout Hasher) { hasher.combine(key.uncompressed) }
}
