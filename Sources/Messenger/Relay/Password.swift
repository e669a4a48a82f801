import MildamCrypto

/// What a person typed; wiped when it is let go.
public struct Password: Sendable, Equatable {
    private let storage: SymmetricKey

    /// Copies the bytes as they were typed, UTF-8.
    public init(copying bytes: Span<UInt8>) {
        storage = SymmetricKey(SecretBytes(copying: bytes))
    }

    /// Whether nothing was typed.
    public var isEmpty: Bool { storage.bitCount == 0 }

    /// Lends the bytes.
    func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        unsafe storage.withUnsafeBytes { unsafe body($0) }
    }
}
