import FoundationEssentials

extension AES.GCM {
    /// A sealed message: nonce, ciphertext and a tag of 16 bytes, kept as one piece.
    public struct SealedBox: Equatable, Sendable {
        let whole: Data
        let nonceSize: Int

        /// nonce ‖ ciphertext ‖ tag; `nil` when the nonce has another size than 12 bytes, as in CryptoKit.
        public var combined: Data? { nonceSize == 12 ? whole : nil }

        /// The nonce.
        public var nonce: Nonce { Nonce(checked: whole.prefix(nonceSize)) }

        /// The ciphertext, as long as the message was; a copy that starts at index 0.
        public var ciphertext: Data { Data(whole.dropFirst(nonceSize).dropLast(CipherContext.tagSize)) }

        /// The tag of 16 bytes; a copy that starts at index 0.
        public var tag: Data { Data(whole.suffix(CipherContext.tagSize)) }

        /// A box from nonce ‖ ciphertext ‖ tag, the nonce of 12 bytes.
        ///
        /// - Throws: `incorrectParameterSize` below 28 bytes.
        public init(combined: some DataProtocol) throws(CryptoKitError) {
            guard combined.count >= 12 + CipherContext.tagSize else { throw .incorrectParameterSize }
            self.init(whole: Data(combined), nonceSize: 12)
        }

        /// A box from its parts.
        ///
        /// - Throws: `incorrectParameterSize` for a tag of any size but 16 bytes.
        public init(nonce: Nonce, ciphertext: some DataProtocol, tag: some DataProtocol) throws(CryptoKitError) {
            guard tag.count == CipherContext.tagSize else { throw .incorrectParameterSize }
            var whole = Data(capacity: nonce.bytes.count + ciphertext.count + tag.count)
            whole.append(nonce.bytes)
            whole.append(contentsOf: ciphertext)
            whole.append(contentsOf: tag)
            self.init(whole: whole, nonceSize: nonce.bytes.count)
        }

        init(whole: Data, nonceSize: Int) {
            self.whole = whole
            self.nonceSize = nonceSize
        }
    }
}

extension AES.GCM.Nonce {
    /// A nonce whose size was checked before.
    init(checked bytes: Data) {
        self.bytes = Data(bytes)
    }
}
