/// Cuts what arrives piece by piece into lines, and never keeps more than one line may have.
public struct LineSplitter: Sendable {
    private var bytes: [UInt8] = []
    /// Where the first line that was not given yet begins.
    private var start = 0
    /// Up to where no end of a line was found.
    private var looked = 0

    /// An empty buffer.
    public init() {}

    /// Whether the beginning of a line waits for its end.
    public var hasBeginning: Bool { start < bytes.count }

    /// Takes what arrived. Every whole line is to be taken out (``next()``) before more comes in.
    public mutating func take(_ piece: some Collection<UInt8>) {
        bytes.removeFirst(start)
        looked -= start
        start = 0
        bytes.append(contentsOf: piece)
    }

    /// The next whole line, without its end; `nil` when it has not come yet.
    ///
    /// - Throws: `tooLong`, as soon as a line has more bytes than it may, whether its end has come or not.
    public mutating func next() throws(ClientLineDefect) -> [UInt8]? {
        guard let end = bytes[looked...].firstIndex(of: UInt8(ascii: "\n")) else {
            looked = bytes.count
            guard bytes.count - start <= LineLimits.line else { throw .tooLong }
            return nil
        }
        guard end - start <= LineLimits.line else { throw .tooLong }
        let line = Array(bytes[start..<end])
        start = end + 1
        looked = start
        return line
    }
}
