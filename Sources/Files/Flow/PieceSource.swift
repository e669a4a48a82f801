import MildamSystem

/// A stream that is taken in pieces of one size, the last of which may be shorter. Used by one thread at a time.
///
/// It is one byte ahead, because only that tells whether a full piece is the last one.
final class PieceSource {
    /// What a piece holds, and whether it is the last.
    struct Piece {
        let count: Int
        let isLast: Bool
    }

    private let input: Descriptor
    private let path: String?
    private let size: Int
    private let meter: ByteMeter
    /// What was read, and not taken yet.
    private var ahead: [UInt8]
    private(set) var isOver = false

    /// - Parameters:
    ///   - size: bytes in a piece.
    ///   - beginning: what has been read of the stream already; no more than a piece.
    ///   - meter: sees what is taken.
    init(
        _ input: consuming Descriptor,
        path: String?,
        size: Int,
        beginning: [UInt8] = [],
        meter: ByteMeter = ByteMeter()
    ) {
        self.input = input
        self.path = path
        self.size = size
        self.meter = meter
        ahead = beginning
    }

    /// Takes the next piece: the first one, which may be empty, and those that follow as long as there are any.
    ///
    /// - Parameter buffer: one byte longer than a piece.
    /// - Returns: `nil` behind the last piece.
    func take(into buffer: inout [UInt8]) throws(SystemError) -> Piece? {
        guard !isOver else { return nil }
        buffer.replaceSubrange(..<ahead.count, with: ahead)
        let end = try input.fill(&buffer, from: ahead.count, path: path)
        isOver = end <= size
        ahead = isOver ? [] : [buffer[size]]
        let piece = Piece(count: min(end, size), isLast: isOver)
        meter.take(buffer.span.extracting(..<piece.count))
        return piece
    }
}
