extension HPKE {
    /// What the messages of one encapsulation are sealed and opened with: the key and the base nonce.
    struct MessageKeys: ~Copyable {
        static let nonceSize = 12

        let algorithm: CipherAlgorithm
        /// key ‖ base_nonce.
        let keyAndNonce: SecretBytes

        /// Encrypts the message of this number and writes its tag behind it; `sealed` is longer by the tag.
        borrowing func seal(
            _ message: UnsafeRawBufferPointer,
            _ number: UInt64,
            authenticating header: UnsafeRawBufferPointer,
            to sealed: UnsafeMutableRawBufferPointer
        ) -> Bool {
            guard let start = sealed.baseAddress, sealed.count == message.count + CipherContext.tagSize else {
                return false
            }
            return withContext(number, encrypting: true) { context in
                unsafe context.seal(message, to: start, authenticating: header, tag: start + message.count)
            }
        }

        /// Decrypts the message of this number, which ends with its tag; `message` is shorter by the tag, and wiped when
        /// the tag is wrong.
        borrowing func open(
            _ sealed: UnsafeRawBufferPointer,
            _ number: UInt64,
            authenticating header: UnsafeRawBufferPointer,
            to message: UnsafeMutableRawBufferPointer
        ) -> Bool {
            guard let start = sealed.baseAddress, sealed.count == message.count + CipherContext.tagSize else {
                return false
            }
            let opened = withContext(number, encrypting: false) { context in
                unsafe context.open(
                    UnsafeRawBufferPointer(rebasing: sealed[..<message.count]),
                    to: message.baseAddress,
                    authenticating: header,
                    tag: start + message.count
                )
            }
            if !opened { _ = LibCrypto.lastError() }
            return opened
        }

        private borrowing func withContext(
            _ number: UInt64,
            encrypting: Bool,
            _ body: (CipherContext) -> Bool
        ) -> Bool {
            let context = ThreadContexts.current.cipher(algorithm)
            defer { context.forgetKey() }
            let keySize = algorithm.keySize
            let begun = unsafe keyAndNonce.withUnsafeBytes { keyAndNonce in
                let nonce = unsafe MessageKeys.nonce(number, UnsafeRawBufferPointer(rebasing: keyAndNonce[keySize...]))
                return unsafe nonce.span.withUnsafeBytes { nonce in
                    unsafe context.begin(
                        UnsafeRawBufferPointer(rebasing: keyAndNonce[..<keySize]),
                        nonce,
                        encrypting: encrypting
                    )
                }
            }
            return begun && body(context)
        }

        /// `ComputeNonce` (RFC 9180, section 5.2): the base nonce, its last eight bytes changed by the number.
        private static func nonce(
            _ number: UInt64,
            _ base: UnsafeRawBufferPointer
        ) -> InlineArray<12, UInt8> {
            var nonce = InlineArray<12, UInt8> { index in unsafe base[index] }
            unsafe withUnsafeBytes(of: number.bigEndian) { number in
                for index in 0..<8 { unsafe nonce[4 + index] ^= number[index] }
            }
            return nonce
        }
    }
}
