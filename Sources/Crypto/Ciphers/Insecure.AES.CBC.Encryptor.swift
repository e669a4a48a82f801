extension Insecure.AES.CBC {
    /// Encrypts one message piece by piece, where it lies.
    public struct Encryptor: ~Copyable, @unchecked Sendable {  // sole owner of the context; its methods are exclusive
        private let context: BlockCipherContext
        private var isEnded = false

        /// Begins a message.
        ///
        /// - Parameters:
        ///   - key: 16, 24 or 32 bytes.
        ///   - iv: random for each message.
        /// - Throws: `incorrectKeySize`.
        public init(key: SymmetricKey, iv: Insecure.AES.IV) throws(CryptoKitError) {
            context = BlockCipherContext(try .cbc(key), key, iv: iv.bytes, encrypting: true)
        }

        /// Encrypts the next blocks.
        ///
        /// - Parameter blocks: a multiple of 16 bytes; anything else, or more after the end, is a programmer's error.
        public mutating func update(inPlace blocks: inout MutableSpan<UInt8>) {
            precondition(!isEnded, "blocks after the last one")
            unsafe blocks.withUnsafeMutableBytes { unsafe context.update($0) }
        }

        /// Pads the rest of the message, of any size, and encrypts it: the array is 1 to 16 bytes longer then. Capacity
        /// for them saves a copy.
        public mutating func finish(inPlace rest: inout [UInt8]) {
            let padding = PKCS7.paddingSize(after: rest.count)
            rest.append(contentsOf: repeatElement(UInt8(padding), count: padding))
            var blocks = rest.mutableSpan
            update(inPlace: &blocks)
            isEnded = true
        }
    }

    /// Decrypts one message piece by piece, where it lies.
    ///
    /// What `update` decrypts is nobody's word: use it on a ciphertext whose MAC was found right, or keep the content
    /// to yourself until it was.
    public struct Decryptor: ~Copyable, @unchecked Sendable {  // sole owner of the context; its methods are exclusive
        private let context: BlockCipherContext
        private var isEnded = false

        /// Begins a message.
        ///
        /// - Parameter key: 16, 24 or 32 bytes.
        /// - Throws: `incorrectKeySize`.
        public init(key: SymmetricKey, iv: Insecure.AES.IV) throws(CryptoKitError) {
            context = BlockCipherContext(try .cbc(key), key, iv: iv.bytes, encrypting: false)
        }

        /// Decrypts the next blocks, the last one not among them.
        ///
        /// - Parameter blocks: a multiple of 16 bytes; anything else, or more after the end, is a programmer's error.
        public mutating func update(inPlace blocks: inout MutableSpan<UInt8>) {
            precondition(!isEnded, "blocks after the last one")
            unsafe blocks.withUnsafeMutableBytes { unsafe context.update($0) }
        }

        /// Decrypts the rest, which ends with the last block, and removes the padding.
        ///
        /// - Throws: `incorrectParameterSize` when the rest is empty or no multiple of 16 bytes; `invalidParameter` for
        ///   a wrong padding, whatever is wrong with it. The array is wiped and empty then.
        public mutating func finish(inPlace rest: inout [UInt8]) throws(CryptoKitError) {
            guard !rest.isEmpty, rest.count.isMultiple(of: Insecure.AES.blockByteCount) else {
                rest = []
                throw .incorrectParameterSize
            }
            var blocks = rest.mutableSpan
            update(inPlace: &blocks)
            isEnded = true
            let padding = unsafe rest.withUnsafeBytes { bytes in
                unsafe PKCS7.paddingSize(
                    of: UnsafeRawBufferPointer(rebasing: bytes.suffix(Insecure.AES.blockByteCount))
                )
            }
            guard let padding else {
                rest.wipe()
                rest = []
                throw .invalidParameter
            }
            rest.removeLast(padding)
        }
    }
}
