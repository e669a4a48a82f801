/// A digest of 32 bytes by SHA-256.
public typealias SHA256Digest = FixedDigest<SHA256, 32>

/// SHA-256 (FIPS 180-4).
public struct SHA256: HashFunction {
    /// A digest of 32 bytes.
    public typealias Digest = SHA256Digest

    /// The size of a block in bytes.
    public static let blockByteCount = 64
    /// The size of the digest in bytes.
    public static let byteCount = 32
    /// libcrypto's implementation of it.
    public static var algorithm: DigestAlgorithm { .sha256 }

    private var state = HashState(.sha256)

    /// The hash of nothing yet.
    public init() {}

    /// Takes in the bytes.
    public mutating func update(bufferPointer: UnsafeRawBufferPointer) {
        unsafe state.update(bufferPointer)
    }

    /// The digest of what was taken in so far; more can follow.
    public func finalize() -> Digest {
        unsafe Digest { unsafe state.finish($0) }
    }

    /// The digest of the bytes, at once.
    public static func hash(bufferPointer: UnsafeRawBufferPointer) -> Digest {
        unsafe Digest { unsafe ThreadContexts.current.digest(.sha256).hash(bufferPointer, $0) }
    }
}
