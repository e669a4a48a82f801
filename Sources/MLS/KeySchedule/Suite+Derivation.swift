import MildamCrypto
import MildamWire

/// Secrets from secrets (RFC 9420, section 8).
extension Suite {
    /// `ExpandWithLabel`.
    ///
    ///     struct {
    ///         uint16 length;
    ///         opaque label<V>;
    ///         opaque context<V>;
    ///     } KDFLabel;
    func expand(_ secret: SymmetricKey, _ label: String, context: [UInt8] = [], size: Int? = nil) -> SymmetricKey {
        let size = size ?? secretSize
        var writer = WireWriter(capacity: context.count + label.utf8.count + 16)
        writer.integer(UInt16(size))
        Suite.appendLabel(label, to: &writer)
        writer.vector(context)
        let info = writer.takeBytes()
        return hash.expand(secret, info: info.span, outputByteCount: size)
    }

    /// `DeriveSecret`.
    func derive(_ secret: SymmetricKey, _ label: String) -> SymmetricKey { expand(secret, label) }

    /// `DeriveTreeSecret` (RFC 9420, section 9.1).
    func deriveTree(_ secret: SymmetricKey, _ label: String, generation: UInt32, size: Int) -> SymmetricKey {
        var writer = WireWriter(capacity: 4)
        writer.integer(generation)
        return expand(secret, label, context: writer.bytes, size: size)
    }

    /// `KDF.Extract`.
    func extract(salt: SymmetricKey, _ input: SymmetricKey) -> SymmetricKey {
        hash.extract(salt: salt, inputKeyMaterial: input)
    }

    /// `0`: as many zeros as a secret has bytes.
    var zero: SymmetricKey { SymmetricKey(data: [UInt8](repeating: 0, count: secretSize)) }

    /// A fresh secret from `randomness`.
    func randomSecret(_ randomness: Randomness) -> SymmetricKey { randomness.secret(count: secretSize) }
}
