import MildamCrypto
import MildamSystem

extension FileSource {
    /// Bytes that are read at once.
    private static let pieceSize = 1 << 18

    /// Reads on to the end, of a regular file not behind the size that it had, and hashes what comes.
    ///
    /// - Parameter isCancelled: asked before every piece.
    /// - Returns: the SHA-256; `nil` where it was called off, or the file changed meanwhile.
    package func digest(isCancelled: () -> Bool) throws(SystemError) -> SHA256Digest? {
        let meter = ByteMeter(digesting: true)
        var buffer = [UInt8].buffer(count: min(Self.pieceSize, (size ?? Self.pieceSize) + 1))
        while !isCancelled() {
            let end = try fill(&buffer)
            meter.take(buffer.span.extracting(..<end))
            if end < buffer.count { return try isUnchanged() ? meter.digest : nil }
            // What grows meanwhile might never end.
            if let size, meter.size > size { return nil }
        }
        return nil
    }
}
