/// A digest of 28 bytes by SHA-224.
public typealias SHA224Digest = FixedDigest<SHA224, 28>

/// SHA-224 (FIPS 180-4).
public struct SHA224: HashFunction {
    /// A digest of 28 bytes.
    public typealias Digest = SHA224Digest

    /// The size of a block in bytes.
    public static let blockByteCount = 64
    /// The size of the digest in bytes.
    public static let byteCount = 28
    /// libcrypto's implementation of it.
    public static var algorithm: DigestAlgorithm { .sha224 }

    private var state = HashState(.sha224)

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
        unsafe Digest { unsafe ThreadContexts.current.digest(.sha224).hash(bufferPointer, $0) }
    }
}
