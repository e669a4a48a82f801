import MildamCrypto

/// Where random bytes come from: libcrypto's private generator, or what a test plays in.
///
/// Ephemeral keys of HPKE are drawn by MildamCrypto itself.
public struct Randomness: Sendable {
    private let draw: @Sendable (Int) -> SymmetricKey

    /// Random bytes of the given source.
    init(_ draw: @escaping @Sendable (Int) -> SymmetricKey) { self.draw = draw }

    /// libcrypto's private generator.
    public static let system = Randomness { SymmetricKey(SecretBytes.random(count: $0)) }

    /// So many secret bytes.
    func secret(count: Int) -> SymmetricKey { draw(count) }

    /// So many bytes that everybody may see.
    func bytes(count: Int) -> [UInt8] { unsafe draw(count).withUnsafeBytes { unsafe Array($0) } }
}
