import FoundationEssentials

/// A sealed message as one piece: nonce ‖ ciphertext ‖ tag. What the boxes of both AEADs hold.
struct SealedBytes: Equatable, Sendable {
    let whole: Data
    let nonceSize: Int

    var nonce: NonceBytes { NonceBytes(checked: whole.prefix(nonceSize)) }
    var ciphertext: Data { Data(whole.dropFirst(nonceSize).dropLast(CipherContext.tagSize)) }
    var tag: Data { Data(whole.suffix(CipherContext.tagSize)) }

    /// - Throws: `incorrectParameterSize` below 28 bytes.
    init(combined: some DataProtocol) throws(CryptoKitError) {
        guard combined.count >= 12 + CipherContext.tagSize else { throw .incorrectParameterSize }
        self.init(whole: Data(combined), nonceSize: 12)
    }

    /// - Throws: `incorrectParameterSize` for a tag of any size but 16 bytes.
    init(
        nonce: NonceBytes,
        ciphertext: some DataProtocol,
        tag: some DataProtocol
    ) throws(CryptoKitError) {
        guard tag.count == CipherContext.tagSize else { throw .incorrectParameterSize }
        var whole = Data(capacity: nonce.count + ciphertext.count + tag.count)
        whole.append(nonce.data)
        whole.append(contentsOf: ciphertext)
        whole.append(contentsOf: tag)
        self.init(whole: whole, nonceSize: nonce.count)
    }

    init(whole: Data, nonceSize: Int) {
        self.whole = whole
        self.nonceSize = nonceSize
    }
}
