import FoundationEssentials

extension Insecure.AES {
    /// The block that a mode begins with: 16 bytes.
    public struct IV: Equatable, Sendable {
        private(set) var bytes: [UInt8]

        /// 16 random bytes.
        public init() {
            bytes = unsafe [UInt8](unsafeUninitializedCapacity: blockByteCount) { buffer, filled in
                unsafe SecureRandom.fillPublic(UnsafeMutableRawBufferPointer(buffer))
                filled = blockByteCount
            }
        }

        /// The given bytes.
        ///
        /// - Throws: `incorrectParameterSize` for any number but 16.
        public init(data: some DataProtocol) throws(CryptoKitError) {
            guard data.count == blockByteCount else { throw .incorrectParameterSize }
            bytes = Array(data)
        }

        /// Overwrites the bytes with zeros, where they come from a secret. Copies that others hold stay.
        package mutating func wipe() { bytes.wipe() }
    }
}
