import MildamCrypto

extension AgeFile {
    /// Opens a file that is in memory, without armor, into secret memory. The caller has looked at its size.
    ///
    /// - Throws: as `decrypt` does.
    package static func content(
        of file: Span<UInt8>,
        identities: [any AgeIdentity]
    ) throws(AgeError) -> SecretBytes {
        var parser = AgeHeaderParser()
        var position = try parser.consume(file)
        var content = SecretBuilder(capacity: max(1, file.count - position))
        var opened: [UInt8] = []
        defer { opened.wipe() }
        var decryptor = try AgeDecryptor(header: try parser.finish(), identities: identities)
        while position < file.count {
            let sealed = file.extracting(position..<min(position + AgeDecryptor.sealedChunkSize, file.count))
            position += sealed.count
            try decryptor.open(sealed, into: &opened)
            content.append(opened.span)
            opened.wipe()
        }
        try decryptor.finish()
        return content.finish()
    }
}
