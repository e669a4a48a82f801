import MildamCrypto

extension RNCryptorFile {
    /// Decrypts a file that is in memory.
    ///
    /// - Throws: `RNCryptorError`; nothing of the content is released then.
    public static func decrypt(
        _ file: [UInt8],
        secret: borrowing RNCryptorSecret,
        format: RNCryptorFormat = .detected
    ) throws(RNCryptorError) -> (content: [UInt8], opened: RNCryptorOpened) {
        let header = try RNCryptorHeader(file.span, format, hasPassword: secret.isPassword)
        let start = header.bytes.count
        let end = file.count - macFieldSize
        guard end >= start else { throw .truncated }
        var whole = FilePiece(bytes: Array(file[start..<end]), isLast: true)
        let authentication = RNCryptorAuthentication(try RNCryptorKeys.candidates(for: header, secret), header)
        authentication.process(&whole)
        let verified = try authentication.verified(Array(file[end...]), size: whole.bytes.count)
        let lastBlocks = Array(whole.bytes.suffix(2 * blockSize))
        let content = RNCryptorContent(header, verified, format, size: whole.bytes.count, end: lastBlocks)
        var bytes: [UInt8] = []
        try content.decrypt { (piece) throws(RNCryptorError) in
            swap(&piece, &whole)
        } writing: { (piece) throws(RNCryptorError) in
            bytes = piece.bytes
        }
        return (bytes, content.opened(size: bytes.count))
    }
}
