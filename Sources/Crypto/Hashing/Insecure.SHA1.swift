/// What is broken, or safe only beside something else: for the formats that were written with it.
public enum Insecure {}

extension Insecure {
    /// SHA-1 (FIPS 180-4): collisions are known, so no signature may stand on it. HMAC and PBKDF2 of old files do.
    public struct SHA1: HashFunction {
        /// A digest of 20 bytes.
        public typealias Digest = FixedDigest<SHA1, 20>

        /// The size of a block in bytes.
        public static let blockByteCount = 64
        /// The size of the digest in bytes.
        public static let byteCount = 20
        /// libcrypto's implementation of it.
        public static var algorithm: DigestAlgorithm { .sha1 }

        private var state = HashState(.sha1)

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
            unsafe Digest { unsafe ThreadContexts.current.digest(.sha1).hash(bufferPointer, $0) }
        }
    }
}
