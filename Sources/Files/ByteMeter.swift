import MildamCrypto

/// Counts, and where asked hashes, bytes as they pass, in their order. Used by one thread at a time.
package final class ByteMeter {
    /// How many have passed.
    package private(set) var size = 0
    /// The first of them, as many as were to be kept.
    package private(set) var beginning: [UInt8] = []
    private let kept: Int
    private var hash: SHA256?

    /// - Parameters:
    ///   - digesting: whether to hash them.
    ///   - kept: how many to keep.
    package init(digesting: Bool = false, keeping kept: Int = 0) {
        hash = digesting ? SHA256() : nil
        self.kept = kept
    }

    /// Takes bytes.
    package func take(_ bytes: Span<UInt8>) {
        size += bytes.count
        if beginning.count < kept {
            let part = bytes.extracting(first: kept - beginning.count)
            unsafe part.withUnsafeBufferPointer { unsafe beginning.append(contentsOf: $0) }
        }
        unsafe bytes.withUnsafeBytes { unsafe hash?.update(bufferPointer: $0) }
    }

    /// The SHA-256 of what has passed, where it was asked for.
    package var digest: SHA256Digest? { hash?.finalize() }
}
