import FoundationEssentials

extension ChaChaPoly {
    /// A sealed message: nonce, ciphertext and a tag of 16 bytes, kept as one piece.
    public struct SealedBox: Equatable, Sendable {
        let bytes: SealedBytes

        /// nonce ‖ ciphertext ‖ tag.
        public var combined: Data { bytes.whole }

        /// The nonce.
        public var nonce: Nonce { Nonce(bytes: bytes.nonce) }

        /// The ciphertext, as long as the message was; a copy that starts at index 0.
        public var ciphertext: Data { bytes.ciphertext }

        /// The tag of 16 bytes; a copy that starts at index 0.
        public var tag: Data { bytes.tag }

        /// A box from nonce ‖ ciphertext ‖ tag, the nonce of 12 bytes.
        ///
        /// - Throws: `incorrectParameterSize` below 28 bytes.
        public init(combined: some DataProtocol) throws(CryptoKitError) {
            bytes = try SealedBytes(combined: combined)
        }

        /// A box from its parts.
        ///
        /// - Throws: `incorrectParameterSize` for a tag of any size but 16 bytes.
        public init(nonce: Nonce, ciphertext: some DataProtocol, tag: some DataProtocol) throws(CryptoKitError) {
            bytes = try SealedBytes(nonce: nonce.bytes, ciphertext: ciphertext, tag: tag)
        }

        init(bytes: SealedBytes) {
            self.bytes = bytes
        }
    }
}
