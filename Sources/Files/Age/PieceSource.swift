/// A stream that is taken in pieces of one size, the last of which may be shorter. Used by one thread at a time.
///
/// It is one byte ahead, because only that tells whether a full piece is the last one.
final class PieceSource {
    /// What a piece holds, and whether it is the last.
    struct Piece {
        let count: Int
        let isLast: Bool
        /// How far it reaches in what lies below the stream.
        let position: Int
    }

    private let input: any PieceInput
    private let size: Int
    /// What was read, and not taken yet.
    private var ahead: [UInt8]
    private var isOver = false

    /// - Parameters:
    ///   - size: bytes in a piece.
    ///   - beginning: what has been read of the stream already; no more than a piece.
    init(_ input: any PieceInput, size: Int, beginning: [UInt8] = []) {
        self.input = input
        self.size = size
        ahead = beginning
    }

    /// Takes the next piece: the first one, which may be empty, and those that follow as long as there are any.
    ///
    /// - Parameter buffer: one byte longer than a piece.
    /// - Returns: `nil` behind the last piece.
    func take(into buffer: inout [UInt8]) throws(AgeError) -> Piece? {
        guard !isOver else { return nil }
        buffer.replaceSubrange(..<ahead.count, with: ahead)
        let end = try input.fill(&buffer, from: ahead.count)
        isOver = end <= size
        ahead = isOver ? [] : [buffer[size]]
        return Piece(count: min(end, size), isLast: isOver, position: input.size - ahead.count)
    }
}
