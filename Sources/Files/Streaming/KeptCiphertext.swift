import Glibc
import MildamSystem

/// A ciphertext in a temporary file, until it is known whether and how it opens. What is read is what was written:
/// nobody else can reach the file.
struct KeptCiphertext: ~Copyable {
    private let file: TemporaryFile
    /// Bytes that were written.
    private(set) var size = 0
    /// Bytes that were read again.
    private var position = 0

    init() throws(SystemError) {
        file = try TemporaryFile()
    }

    /// Keeps the next piece.
    mutating func append(_ piece: FilePiece) throws(SystemError) {
        try file.descriptor.write(piece.bytes.span, path: "a temporary file (TMPDIR says where)")
        size += piece.bytes.count
    }

    /// Its last two blocks of AES, or as much of them as there is.
    var end: [UInt8] {
        get throws(SystemError) {
            let start = max(0, size - 32)
            return try file.descriptor.read(upTo: size - start, at: start)
        }
    }

    /// Reads the next piece; the last one is empty only when everything is.
    mutating func read(into piece: inout FilePiece) throws(SystemError) {
        let count = min(FilePiece.size, size - position)
        piece.bytes = try file.descriptor.read(upTo: count, at: position)
        guard piece.bytes.count == count else { throw SystemError("read", "a temporary file", code: EIO) }
        position += count
        piece.isLast = position == size
    }
}
