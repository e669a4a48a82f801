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

/// A descriptor's bytes as they are.
final class PlainInput: PieceInput {
    private let descriptor: Descriptor
    private let path: String?
    private let meter: ByteMeter

    /// - Parameter meter: sees what is read.
    init(_ descriptor: consuming Descriptor, path: String?, meter: ByteMeter) {
        self.descriptor = descriptor
        self.path = path
        self.meter = meter
    }

    var size: Int { meter.size }

    func fill(_ buffer: inout [UInt8], from start: Int) throws(AgeError) -> Int {
        let end = try AgeError.reporting { () throws(SystemError) in
            try descriptor.fill(&buffer, from: start, path: path)
        }
        meter.take(buffer.span.extracting(start..<end))
        return end
    }
}
