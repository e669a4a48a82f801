import MildamSystem

/// What pieces are taken from. Used by one thread at a time.
protocol PieceInput: AnyObject {
    /// How many bytes were read of what lies below.
    var size: Int { get }

    /// Reads on, until the buffer is full or the stream ends.
    ///
    /// - Parameter start: where in the buffer to begin; what stands before it is kept.
    /// - Returns: where in the buffer the reading ended.
    func fill(_ buffer: inout [UInt8], from start: Int) throws(AgeError) -> Int
}

/// A source's bytes as they are.
final class PlainInput: PieceInput {
    private let source: FileSource
    private let meter: ByteMeter

    /// - Parameter meter: sees what is read.
    init(_ source: FileSource, meter: ByteMeter) {
        self.source = source
        self.meter = meter
    }

    var size: Int { meter.size }

    func fill(_ buffer: inout [UInt8], from start: Int) throws(AgeError) -> Int {
        let end = try AgeError.reporting { () throws(SystemError) in
            try source.fill(&buffer, from: start)
        }
        meter.take(buffer.span.extracting(start..<end))
        return end
    }
}
