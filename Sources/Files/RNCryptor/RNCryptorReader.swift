import MildamSystem

/// Reads an RNCryptor file from a source: its header, and then its ciphertext in pieces, without the field at its
/// end.
///
/// Only the end of the file shows where the ciphertext ended; so as much is kept back at each piece, and the last block
/// with it: there is no padding to be removed from an empty piece.
struct RNCryptorReader {
    let header: RNCryptorHeader
    /// The file's size, where it is known before its end.
    var total: Int? { source.size }
    /// The bytes that were read so far.
    private(set) var count: Int
    /// The field at the end, once the last piece was read.
    private(set) var field: [UInt8] = []
    private var keptBack: [UInt8]
    private let source: FileSource

    private static let keptBackSize = RNCryptorFile.blockSize + RNCryptorFile.macFieldSize

    /// Reads the header.
    init(
        _ source: FileSource,
        _ format: RNCryptorFormat,
        hasPassword: Bool
    ) throws(RNCryptorError) {
        var start = [UInt8](repeating: 0, count: RNCryptorHeader.maximumSize)
        do throws(SystemError) {
            count = try source.fill(&start)
        } catch {
            throw .io(error)
        }
        self.source = source
        header = try RNCryptorHeader(start.span.extracting(..<count), format, hasPassword: hasPassword)
        keptBack = Array(start[header.bytes.count..<count])
    }

    /// Reads the next piece of the ciphertext: a multiple of 16 bytes unless it is the last.
    mutating func read(into piece: inout FilePiece) throws(RNCryptorError) {
        piece.resize(to: FilePiece.size + RNCryptorReader.keptBackSize)
        piece.bytes.replaceSubrange(..<keptBack.count, with: keptBack)
        let end: Int
        do throws(SystemError) {
            end = try source.fill(&piece.bytes, from: keptBack.count)
        } catch {
            throw .io(error)
        }
        count += end - keptBack.count
        piece.isLast = end < piece.bytes.count
        if piece.isLast {
            let size = end - RNCryptorFile.macFieldSize
            guard size >= 0 else { throw .truncated }
            field = Array(piece.bytes[size..<end])
            piece.resize(to: size)
        } else {
            keptBack = Array(piece.bytes.suffix(RNCryptorReader.keptBackSize))
            piece.resize(to: FilePiece.size)
        }
    }
}

extension RNCryptorHeader {
    /// Reads a header from the first bytes of a file that is read in this way, with a password or with keys.
    init(_ start: Span<UInt8>, _ format: RNCryptorFormat, hasPassword: Bool) throws(RNCryptorError) {
        if format.isMarked {
            try self.init(start)
        } else {
            try self.init(unmarked: start, hasSalts: hasPassword)
        }
    }
}
