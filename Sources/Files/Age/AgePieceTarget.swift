/// Where the pieces of a file go, one after the other. Used by one thread at a time.
final class AgePieceTarget {
    private let output: AgeOutput
    private let monitor: FileMonitor
    /// The size of what is read, where it is known.
    private let total: Int?

    init(_ output: AgeOutput, total: Int?, monitor: FileMonitor) {
        self.output = output
        self.total = total
        self.monitor = monitor
    }

    /// Writes what a piece became.
    ///
    /// - Throws: `io`, `cancelled`.
    func write(_ bytes: Span<UInt8>, of piece: PieceSource.Piece) throws(AgeError) {
        try output.write(bytes)
        monitor.progress(piece.position, total)
        if monitor.isCancelled() { throw .cancelled }
    }
}
