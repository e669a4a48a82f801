import MildamCrypto

/// What names an age file's bytes without opening it: their number and their digest.
public struct AgeCiphertext: Sendable, Equatable {
    /// The size of the whole file in bytes.
    public let size: Int
    /// The SHA-256 of the whole file, when it was asked for.
    public let digest: SHA256Digest?

    /// Names a file.
    public init(size: Int, digest: SHA256Digest?) {
        self.size = size
        self.digest = digest
    }

    /// Counts and hashes bytes as they pass, in their order. Used by one thread at a time.
    final class Meter {
        private(set) var size = 0
        private var hash: SHA256?

        init(digesting: Bool = false) {
            hash = digesting ? SHA256() : nil
        }

        func take(_ bytes: Span<UInt8>) {
            size += bytes.count
            unsafe bytes.withUnsafeBytes { unsafe hash?.update(bufferPointer: $0) }
        }

        var ciphertext: AgeCiphertext { AgeCiphertext(size: size, digest: hash?.finalize()) }
    }
}
