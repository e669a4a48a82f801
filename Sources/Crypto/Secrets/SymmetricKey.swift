import FoundationEssentials

/// The size of a symmetric key.
public struct SymmetricKeySize: Sendable, Equatable {
    /// The number of bits, a multiple of eight.
    public let bitCount: Int

    /// A size of `bitCount` bits, a positive multiple of eight.
    public init(bitCount: Int) {
        precondition(bitCount > 0 && bitCount.isMultiple(of: 8), "a key's size is a positive multiple of eight bits")
        self.bitCount = bitCount
    }

    /// 16 bytes.
    public static let bits128 = SymmetricKeySize(bitCount: 128)
    /// 24 bytes.
    public static let bits192 = SymmetricKeySize(bitCount: 192)
    /// 32 bytes.
    public static let bits256 = SymmetricKeySize(bitCount: 256)
}

/// A key for encryption or authentication. Copies share one memory, which is wiped when the last of them goes.
public struct SymmetricKey: ContiguousBytes, Equatable, Sendable, CustomStringConvertible, CustomReflectable {
    private let storage: SecretStorage

    /// A new random key.
    public init(size: SymmetricKeySize) {
        self.init(SecretBytes.random(count: size.bitCount / 8))
    }

    /// A key of the given bytes, copied; the original is the caller's to wipe.
    public init(data: some ContiguousBytes) {
        self.init(SecretBytes(copying: data))
    }

    init(copying bytes: UnsafeRawBufferPointer) {
        self.init(unsafe SecretBytes(copying: bytes))
    }

    /// A key of the given secret, which it takes over without copying.
    public init(_ bytes: consuming SecretBytes) {
        storage = SecretStorage(bytes)
    }

    /// The number of bits.
    public var bitCount: Int { storage.bytes.count * 8 }

    var byteCount: Int { storage.bytes.count }

    /// Runs `body` on the key's bytes; the pointer is valid in it only.
    public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try unsafe storage.bytes.withUnsafeBytes(body)
    }

    /// Whether both keys are the same, in a time that depends on their sizes only.
    public static func == (left: SymmetricKey, right: SymmetricKey) -> Bool {
        left.storage.bytes.constantTimeEquals(right.storage.bytes)
    }

    /// The size, and nothing of the key.
    public var description: String { "SymmetricKey (\(bitCount) bits)" }

    /// Empty: a dump shows nothing of the key.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
