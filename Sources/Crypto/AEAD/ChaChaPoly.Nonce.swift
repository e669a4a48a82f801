import FoundationEssentials

extension ChaChaPoly {
    /// A nonce of 12 bytes.
    public struct Nonce: ContiguousBytes, Sequence, Equatable, Sendable {
        let bytes: NonceBytes

        /// A random nonce of 12 bytes.
        public init() {
            bytes = .random()
        }

        /// A nonce of the given bytes, which the caller never uses twice under one key.
        ///
        /// - Throws: `incorrectParameterSize` for any size but 12 bytes.
        public init(data: some DataProtocol) throws(CryptoKitError) {
            bytes = try NonceBytes(data, sizes: 12...12)
        }

        init(bytes: NonceBytes) {
            self.bytes = bytes
        }

        /// Runs `body` on the nonce's bytes; the pointer is valid in it only.
        public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
            try unsafe bytes.withUnsafeBytes(body)
        }

        /// The nonce's bytes, one by one.
        public func makeIterator() -> Data.Iterator { bytes.data.makeIterator() }
    }
}
