import MildamSystem

/// What a worker takes at once of an age file: 16 chunks, or as many as a small file has.
struct AgePiece {
    static let maximumChunks = 16
    /// Each worker has some 2 MiB of buffers, and more workers than the memory can feed gain nothing.
    private static let maximumWorkers = 8

    /// How many chunks a full piece has.
    let chunks: Int
    /// How many workers the stream takes.
    let workerCount: Int

    /// The pieces of a stream of so many bytes; `nil` is one that may have no end.
    init(of total: Int?) {
        chunks = min(Self.maximumChunks, (total ?? .max) / AgePayload.chunkSize + 1)
        workerCount = chunks < Self.maximumChunks ? 1 : min(Processors.count, Self.maximumWorkers)
    }

    /// Bytes of content in a full piece.
    var size: Int { chunks * AgePayload.chunkSize }
    /// Bytes of a full piece in the file.
    var sealedSize: Int { chunks * AgePayload.sealedChunkSize }

    /// How many chunks hold so many bytes, of which there are at most `chunkSize` in each; content without a byte has one.
    static func chunkCount(of count: Int, by chunkSize: Int) -> Int {
        max(1, (count + chunkSize - 1) / chunkSize)
    }

    /// Where a chunk lies in so many bytes of them.
    static func range(of chunk: Int, by chunkSize: Int, in count: Int) -> Range<Int> {
        chunk * chunkSize..<min((chunk + 1) * chunkSize, count)
    }
}
