extension Insecure.AES {
    /// Counter mode (NIST SP 800-38A, section 6.5) as CommonCrypto counted in 2012 when told to do so in little-endian
    /// order (`kCCModeOptionCTR_LE`): the first byte of the block counts, modulo 256, and carries nothing to the
    /// second.
    ///
    /// So the key stream comes again after 256 blocks, 4 KiB: of a longer message, pieces at that distance show each
    /// other's difference to anybody. For reading only. RNCryptor's other ports found the same, and a file that iOS
    /// wrote says so (RNCryptor-php, `tests/files/lorem-ipsum-encrypted-base64-schema0.txt`: its counter
    /// passes 255 after 1,600 of 65,399 bytes).
    public struct CTR: ~Copyable, @unchecked Sendable {  // sole owner of the key stream; its methods are exclusive
        private static let period = 256 * blockByteCount

        /// The key stream, all of it.
        private let stream: SecretBytes
        private var position = 0

        /// Begins a message.
        ///
        /// - Parameters:
        ///   - key: 16, 24 or 32 bytes.
        ///   - iv: the first block that is counted from.
        /// - Throws: `incorrectKeySize`.
        public init(key: SymmetricKey, iv: IV) throws(CryptoKitError) {
            let context = BlockCipherContext(try .ecb(key), key, iv: [], encrypting: true)
            stream = unsafe SecretBytes(count: CTR.period) { stream in
                for block in 0..<256 {
                    let counter = [iv.bytes[0] &+ UInt8(block)] + iv.bytes.dropFirst()
                    unsafe UnsafeMutableRawBufferPointer(rebasing: stream[(block * blockByteCount)...])
                        .copyBytes(from: counter)
                }
                unsafe context.update(stream)
            }
        }

        /// Encrypts or decrypts the next bytes, any number of them, where they lie.
        public mutating func update(inPlace bytes: inout MutableSpan<UInt8>) {
            let start = position
            unsafe bytes.withUnsafeMutableBytes { bytes in
                unsafe stream.withUnsafeBytes { stream in
                    for index in 0..<bytes.count {
                        unsafe bytes[index] ^= stream[(start &+ index) & (CTR.period - 1)]
                    }
                }
            }
            position = (start + bytes.count) & (CTR.period - 1)
        }
    }
}
