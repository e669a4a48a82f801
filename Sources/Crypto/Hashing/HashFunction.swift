import FoundationEssentials

/// A cryptographic hash function: a value that takes in bytes and gives their digest.
public protocol HashFunction: Sendable {
    /// What it gives.
    associatedtype Digest: MildamCrypto.Digest

    /// The size of the block that it works on, in bytes.
    static var blockByteCount: Int { get }

    /// libcrypto's implementation of it.
    static var algorithm: DigestAlgorithm { get }

    /// The hash of nothing yet.
    init()

    /// Takes in the bytes.
    mutating func update(bufferPointer: UnsafeRawBufferPointer)

    /// The digest of what was taken in so far; more can follow.
    func finalize() -> Digest

    /// The digest of the bytes, at once.
    static func hash(bufferPointer: UnsafeRawBufferPointer) -> Digest
}

extension HashFunction {
    /// Takes in the bytes.
    @inlinable
    public mutating func update<D: DataProtocol>(data: D) {
        for region in data.regions {
            unsafe region.withUnsafeBytes { unsafe update(bufferPointer: $0) }
        }
    }

    /// The digest of the bytes, at once.
    @inlinable
    public static func hash<D: DataProtocol>(data: D) -> Digest {
        unsafe data.withContiguousBytes { unsafe hash(bufferPointer: $0) }
    }
}

/// The state of a running hash, copied when two values share it and one goes on.
struct HashState: Sendable {
    private var context: DigestContext

    init(_ algorithm: DigestAlgorithm) {
        context = DigestContext(algorithm)
    }

    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        if !isKnownUniquelyReferenced(&context) { context = DigestContext(copying: context) }
        unsafe context.update(bytes)
    }

    func finish(_ digest: UnsafeMutableRawBufferPointer) {
        unsafe DigestContext(copying: context).finish(digest)
    }
}
