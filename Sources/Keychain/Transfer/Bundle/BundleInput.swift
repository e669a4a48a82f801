import Glibc
import MildamCrypto
import MildamFiles
import MildamSystem

/// Opens an age file into secret memory.
enum BundleInput {
    /// The content.
    ///
    /// - Throws: `file`, `tooLarge`, `io`.
    static func content(of path: String, _ identities: [any AgeIdentity]) throws(TransferError) -> SecretBytes {
        let file: Descriptor = try TransferError.ofSystem { () throws(SystemError) in
            try Descriptor.open(path, O_RDONLY)
        }
        let size = try TransferError.ofSystem { () throws(SystemError) in try file.size(path: path) }
        guard size <= TransferLimits.documentSize + TransferLimits.documentSize / 1024 + (1 << 20) else {
            throw .tooLarge(limit: TransferLimits.documentSize)
        }
        var parser = AgeHeaderParser()
        var position = 0
        while true {
            let piece = try read(file, 4096, at: position, path)
            let used: Int
            do throws(AgeError) { used = try parser.consume(piece.span) } catch { throw .file(error) }
            position += used
            if used < piece.count || piece.isEmpty { break }
        }
        var content = SecretBuilder(capacity: max(1, size - position))
        var opened: [UInt8] = []
        defer { opened.wipe() }
        do throws(AgeError) {
            var decryptor = try AgeDecryptor(header: parser.finish(), identities: identities)
            while position < size {
                let sealed = try readChunk(file, at: position, path)
                if sealed.isEmpty { break }
                position += sealed.count
                try decryptor.open(sealed.span, into: &opened)
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

    private static func readChunk(
        _ file: borrowing Descriptor,
        at position: Int,
        _ path: String
    ) throws(AgeError) -> [UInt8] {
        do throws(SystemError) {
            return try file.read(upTo: AgeDecryptor.sealedChunkSize, at: position, path: path)
        } catch {
            throw .io(error)
        }
    }

    private static func read(
        _ file: borrowing Descriptor,
        _ count: Int,
        at position: Int,
        _ path: String
    ) throws(TransferError) -> [UInt8] {
        do throws(SystemError) { return try file.read(upTo: count, at: position, path: path) } catch {
            throw .io(error)
        }
    }
}
