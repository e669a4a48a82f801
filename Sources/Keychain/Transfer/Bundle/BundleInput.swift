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
        let content = try opened(file, identities)
        guard content.count <= TransferLimits.documentSize else { throw .tooLarge(limit: TransferLimits.documentSize) }
        return content
    }

    private static func opened(
        _ file: Span<UInt8>,
        _ identities: [any AgeIdentity]
    ) throws(TransferError) -> SecretBytes {
        do throws(AgeError) {
            return try AgeFile.content(of: file, identities: identities)
        } catch {
            throw .file(error)
        }
    }
}
