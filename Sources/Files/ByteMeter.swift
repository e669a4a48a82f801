import MildamCrypto

/// Counts, and where asked hashes, bytes as they pass, in their order. Used by one thread at a time.
package final class ByteMeter {
    /// How many have passed.
    package private(set) var size = 0
    private var hash: SHA256?

    /// - Parameter digesting: whether to hash them.
    package init(digesting: Bool = false) {
        hash = digesting ? SHA256() : nil
    }

    /// Takes bytes.
    package func take(_ bytes: Span<UInt8>) {
        size += bytes.count
        unsafe bytes.withUnsafeBytes { unsafe hash?.update(bufferPointer: $0) }
    }

    /// The SHA-256 of what has passed, where it was asked for.
    package var digest: SHA256Digest? { hash?.finalize() }
}
