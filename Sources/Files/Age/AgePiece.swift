import MildamSystem

/// What a worker takes at once of an age file: 16 chunks, the last piece fewer.
enum AgePiece {
    static let chunks = 16
    /// Bytes of content in a full piece: 1 MiB.
    static let size = chunks * AgePayload.chunkSize
    /// Bytes of a full piece in the file.
    static let sealedSize = chunks * AgePayload.sealedChunkSize

    /// How many workers a stream of so many bytes takes; `nil` is a stream that may have no end.
    static func workerCount(for total: Int?) -> Int {
        if let total, total <= size { 1 } else { min(Processors.count, maximumWorkers) }
    }

    /// Each has some 2 MiB of buffers, and more than the memory can move gain nothing.
    private static let maximumWorkers = 8

    /// How many chunks hold so many bytes, of which there are at most `chunkSize` in each; content without a byte has one.
    static func chunkCount(of count: Int, by chunkSize: Int) -> Int {
        max(1, (count + chunkSize - 1) / chunkSize)
    }

    /// Where a chunk of the piece lies.
    static func range(of chunk: Int, by chunkSize: Int, in count: Int) -> Range<Int> {
        chunk * chunkSize..<min((chunk + 1) * chunkSize, count)
    }
}
