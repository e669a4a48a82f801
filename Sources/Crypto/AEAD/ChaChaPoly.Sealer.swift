extension ChaChaPoly {
    /// Seals many messages under one key: the key is expanded once, and each message is encrypted where it lies.
    public struct Sealer: ~Copyable, @unchecked Sendable {  // sole owner of the context; its methods are exclusive
        private let context: CipherContext

        /// A sealer for a key of 32 bytes.
        ///
        /// - Throws: `incorrectKeySize`.
        public init(key: SymmetricKey) throws(CryptoKitError) {
            context = try AEAD.keyedContext(.chaCha20Poly1305, key, encrypting: true)
        }

        /// Encrypts `message` in place and writes its tag of 16 bytes.
        ///
        /// - Parameter nonce: never the same twice under one key.
        /// - Throws: `incorrectParameterSize` when `tag` does not hold 16 bytes.
        public mutating func seal(
            inPlace message: inout MutableSpan<UInt8>,
            nonce: Nonce,
            authenticating header: Span<UInt8> = Span(),
            tag: inout MutableSpan<UInt8>
        ) throws(CryptoKitError) {
            try AEAD.seal(context, &message, nonce.bytes, header, &tag)
        }

        /// Encrypts `message` in place and appends its tag of 16 bytes.
        ///
        /// - Parameter nonce: never the same twice under one key.
        public mutating func seal(
            inPlace message: inout [UInt8],
            nonce: Nonce,
            authenticating header: Span<UInt8> = Span()
        ) throws(CryptoKitError) {
            try AEAD.seal(context, &message, nonce.bytes, header)
        }

        /// Encrypts `message` to another place, with its tag of 16 bytes behind it.
        ///
        /// - Parameters:
        ///   - nonce: never the same twice under one key.
        ///   - sealed: 16 bytes longer than the message.
        /// - Throws: `incorrectParameterSize` for another size.
        public mutating func seal(
            _ message: Span<UInt8>,
            nonce: Nonce,
            authenticating header: Span<UInt8> = Span(),
            into sealed: inout MutableSpan<UInt8>
        ) throws(CryptoKitError) {
            try AEAD.seal(context, message, nonce.bytes, header, into: &sealed)
        }
    }

    /// Opens many messages under one key: the key is expanded once, and each message is decrypted where it lies.
    public struct Opener: ~Copyable, @unchecked Sendable {  // sole owner of the context; its methods are exclusive
        private let context: CipherContext

        /// An opener for a key of 32 bytes.
        ///
        /// - Throws: `incorrectKeySize`.
        public init(key: SymmetricKey) throws(CryptoKitError) {
            context = try AEAD.keyedContext(.chaCha20Poly1305, key, encrypting: false)
        }

        /// Decrypts `ciphertext` in place.
        ///
        /// - Throws: `incorrectParameterSize` when `tag` does not hold 16 bytes; `authenticationFailure` when nonce,
        ///   header, ciphertext and tag do not belong together: the span holds zeros then.
        public mutating func open(
            inPlace ciphertext: inout MutableSpan<UInt8>,
            nonce: Nonce,
            authenticating header: Span<UInt8> = Span(),
            tag: Span<UInt8>
        ) throws(CryptoKitError) {
            try AEAD.open(context, &ciphertext, nonce.bytes, header, tag)
        }

        /// Decrypts in place what ends with its tag of 16 bytes, and removes the tag.
        ///
        /// - Throws: `incorrectParameterSize` below 16 bytes; `authenticationFailure` when nonce, header, ciphertext
        ///   and tag do not belong together: the array is empty then.
        public mutating func open(
            inPlace sealed: inout [UInt8],
            nonce: Nonce,
            authenticating header: Span<UInt8> = Span()
        ) throws(CryptoKitError) {
            try AEAD.open(context, &sealed, nonce.bytes, header)
        }

        /// Decrypts what ends with its tag of 16 bytes to another place.
        ///
        /// - Parameter message: 16 bytes shorter than what is opened.
        /// - Throws: `incorrectParameterSize` for another size; `authenticationFailure` when nonce, header, ciphertext
        ///   and tag do not belong together: the message holds zeros then.
        public mutating func open(
            _ sealed: Span<UInt8>,
            nonce: Nonce,
            authenticating header: Span<UInt8> = Span(),
            into message: inout MutableSpan<UInt8>
        ) throws(CryptoKitError) {
            try AEAD.open(context, sealed, nonce.bytes, header, into: &message)
        }
    }
}
