extension Insecure.AES {
    /// Counter mode (NIST SP 800-38A, section 6.5) as SSH has it (RFC 4344, section 4): all 128 bits of the block
    /// count, in big-endian order.
    public enum CounterMode {
        /// Encrypts or decrypts one message, where it lies.
        ///
        /// - Parameters:
        ///   - blocks: a multiple of 16 bytes.
        ///   - key: 16, 24 or 32 bytes.
        ///   - iv: the first block that is counted from, used once with a key.
        /// - Throws: `incorrectParameterSize`, `incorrectKeySize`.
        public static func apply(
            inPlace blocks: inout MutableSpan<UInt8>,
            using key: SymmetricKey,
            iv: IV
        ) throws(CryptoKitError) {
            guard blocks.count.isMultiple(of: blockByteCount) else { throw .incorrectParameterSize }
            let context = BlockCipherContext(try .ctr(key), key, iv: iv.bytes, encrypting: true)
            unsafe blocks.withUnsafeMutableBytes { unsafe context.update($0) }
        }
    }
}
