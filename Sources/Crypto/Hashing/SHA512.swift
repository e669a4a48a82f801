/// A digest of 64 bytes by SHA-512.
public typealias SHA512Digest = FixedDigest<SHA512, 64>

/// SHA-512 (FIPS 180-4).
public struct SHA512: HashFunction {
    /// A digest of 64 bytes.
    public typealias Digest = SHA512Digest

    /// The size of a block in bytes.
    public static let blockByteCount = 128
    /// The size of the digest in bytes.
    public static let byteCount = 64
    /// libcrypto's implementation of it.
    public static var algorithm: DigestAlgorithm { .sha512 }

    private var state = HashState(.sha512)

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
        unsafe Digest { unsafe ThreadContexts.current.digest(.sha512).hash(bufferPointer, $0) }
    }
}
