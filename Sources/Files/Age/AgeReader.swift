import Glibc
import MildamCrypto
import MildamSystem

/// An open age file whose content can be read at any place; only the chunks that hold it are decrypted.
///
/// The file's size is believed only because its last chunk opens as the last one, which is tried first. One reader is
/// for one task at a time.
public final class AgeReader {
    /// The content's size in bytes.
    public let size: Int

    private let file: Descriptor
    private let path: String
    private let header: AgeHeader
    private var opener: ChaChaPoly.Opener
    private let start: Int
    private let chunkCount: Int
    private let sealedSize: Int
    /// The chunk that was opened last.
    private var content: [UInt8] = []
    private var current: Int?

    /// Opens a file.
    ///
    /// - Throws: `io`, with `ESPIPE` for what is no regular file; `malformedHeader`, `noIdentityMatches`,
    ///   `headerMACMismatch`; `damaged` or `truncated` when the last chunk is not where the file ends.
    public init(_ path: String, identities: [any AgeIdentity]) throws(AgeError) {
        let file: Descriptor = try io { () throws(SystemError) in try Descriptor.open(path, O_RDONLY) }
        let whole = try io { () throws(SystemError) in try file.regularSize(path: path) }
        guard let whole else { throw .io(SystemError("read at any place of", path, code: ESPIPE)) }
        header = try AgeReader.header(of: file, path)
        start = header.bytes.count
        opener = try header.fileKey(for: identities).payloadOpener(nonce: header.nonce)
        sealedSize = whole - start
        guard sealedSize >= AgePayload.tagSize else { throw .truncated }
        chunkCount = AgePiece.chunkCount(of: sealedSize, by: AgePayload.sealedChunkSize)
        guard let size = AgePayload.contentSize(ofSealed: sealedSize) else { throw .damaged(chunk: chunkCount - 1) }
        self.size = size
        self.file = file
        self.path = path
        try open(chunkCount - 1)
    }

    /// Reads content.
    ///
    /// - Parameter range: within `0..<size`; anything else is a programmer's error.
    /// - Throws: `damaged` for a chunk that does not open; `io`.
    public func read(_ range: Range<Int>) throws(AgeError) -> [UInt8] {
        precondition(range.lowerBound >= 0 && range.upperBound <= size, "the content has \(size) bytes")
        var result: [UInt8] = []
        result.reserveCapacity(range.count)
        var position = range.lowerBound
        while position < range.upperBound {
            let chunk = position / AgePayload.chunkSize
            try open(chunk)
            let first = position - chunk * AgePayload.chunkSize
            let last = min(content.count, range.upperBound - chunk * AgePayload.chunkSize)
            result.append(contentsOf: content[first..<last])
            position += last - first
        }
        return result
    }

    private func open(_ chunk: Int) throws(AgeError) {
        guard chunk != current else { return }
        current = nil
        let place = AgePiece.range(of: chunk, by: AgePayload.sealedChunkSize, in: sealedSize)
        content = try io { () throws(SystemError) in
            try file.read(upTo: place.count, at: start + place.lowerBound, path: path)
        }
        guard content.count == place.count else { throw .truncated }
        let nonce = try AgePayload.nonce(chunk: chunk, isLast: chunk == chunkCount - 1)
        do {
            try opener.open(inPlace: &content, nonce: nonce)
        } catch {
            content = []
            throw error == .authenticationFailure ? .damaged(chunk: chunk) : .cryptography(error)
        }
        current = chunk
    }

    private static func header(of file: borrowing Descriptor, _ path: String) throws(AgeError) -> AgeHeader {
        var parser = AgeHeaderParser()
        var position = 0
        while true {
            let bytes = try io { () throws(SystemError) in
                try file.read(upTo: headerPiece, at: position, path: path)
            }
            let used = try parser.consume(bytes.span)
            position += used
            if used < bytes.count || bytes.isEmpty { return try parser.finish() }
        }
    }

    /// Most headers are shorter.
    private static let headerPiece = 4096
}
