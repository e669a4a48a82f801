/// A digest of 48 bytes by SHA-384.
public typealias SHA384Digest = FixedDigest<SHA384, 48>

/// SHA-384 (FIPS 180-4).
public struct SHA384: HashFunction {
    /// A digest of 48 bytes.
    public typealias Digest = SHA384Digest

    /// The size of a block in bytes.
    public static let blockByteCount = 128
    /// The size of the digest in bytes.
    public static let byteCount = 48
    /// libcrypto's implementation of it.
    public static var algorithm: DigestAlgorithm { .sha384 }

    private var state = HashState(.sha384)

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
        unsafe Digest { unsafe ThreadContexts.current.digest(.sha384).hash(bufferPointer, $0) }
    }
}
