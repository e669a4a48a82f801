import MildamCrypto
import MildamFiles

/// Opens an age file into secret memory.
enum BundleInput {
    /// The header of an age file, and where its content begins.
    static func header(of file: Span<UInt8>) throws(TransferError) -> (header: AgeHeader, end: Int) {
        do throws(AgeError) {
            var parser = AgeHeaderParser()
            let end = try parser.consume(file.extracting(first: AgeHeader.maximumSize))
            return (try parser.finish(), end)
        } catch {
            throw .file(error)
        }
    }

    /// The content.
    ///
    /// - Throws: `file`, `tooLarge`.
    static func content(of file: Span<UInt8>, _ identities: [any AgeIdentity]) throws(TransferError) -> SecretBytes {
        guard file.count <= TransferLimits.fileSize else { throw .tooLarge(limit: TransferLimits.documentSize) }
        let (header, start) = try Self.header(of: file)
        var position = start
        var content = SecretBuilder(capacity: max(1, file.count - position))
        var opened: [UInt8] = []
        defer { opened.wipe() }
        do throws(AgeError) {
            var decryptor = try AgeDecryptor(header: header, identities: identities)
            while position < file.count {
                let sealed = file.extracting(position..<min(position + AgeDecryptor.sealedChunkSize, file.count))
                position += sealed.count
                try decryptor.open(sealed, into: &opened)
                content.append(opened.span)
                opened.wipe()
            }
            try decryptor.finish()
        } catch {
            throw .file(error)
        }
        guard content.count <= TransferLimits.documentSize else { throw .tooLarge(limit: TransferLimits.documentSize) }
        return content.finish()
    }
}
