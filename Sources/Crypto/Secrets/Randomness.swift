/// Where random bytes come from: libcrypto's private generator, or what a simulation plays in, to play the same again.
public struct Randomness: Sendable {
    /// `nil`: libcrypto's generator.
    private let draw: (@Sendable (Int) -> SymmetricKey)?

    private init(_ draw: (@Sendable (Int) -> SymmetricKey)?) { self.draw = draw }

    /// Bytes of the given source, so many at a time.
    package init(drawing draw: @escaping @Sendable (Int) -> SymmetricKey) { self.init(draw) }

    /// libcrypto's private generator.
    public static let system = Randomness(nil)

    /// Whether it is libcrypto's generator, which may be asked at any time and in any order.
    package var isSystem: Bool { draw == nil }

    /// So many secret bytes.
    package func secret(count: Int) -> SymmetricKey {
        guard let draw else { return SymmetricKey(SecretBytes.random(count: count)) }
        return draw(count)
    }

    /// So many bytes that everybody may see.
    package func bytes(count: Int) -> [UInt8] { unsafe secret(count: count).withUnsafeBytes { unsafe Array($0) } }
}
