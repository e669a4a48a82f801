/// Gathers a message's content, by length or by chunks, up to a limit. Pure and incremental.
struct HTTPBodyDecoder {
    private enum Coding {
        case length(left: Int)
        case chunked(ChunkedDecoder)
    }

    private var coding: Coding
    private(set) var body: [UInt8] = []

    /// - Throws: `bodyTooLarge` when the announced length passes the limit, before anything is gathered.
    init(
        _ framing: HTTPFraming,
        limit: Int,
        maxTrailerBytes: Int,
        maxTrailers: Int
    ) throws(HTTPViolation) {
        switch framing {
        case .none:
            coding = .length(left: 0)
        case .length(let length):
            guard length <= limit else { throw .bodyTooLarge }
            coding = .length(left: length)
            // What is only announced gets no memory; growth follows what arrives.
            body.reserveCapacity(min(length, 16 * 1024))
        case .chunked:
            coding = .chunked(
                ChunkedDecoder(limit: limit, maxTrailerBytes: maxTrailerBytes, maxTrailers: maxTrailers)
            )
        }
    }

    /// Takes bytes from `input` at `position`.
    ///
    /// - Returns: whether the body is whole; `false` when the input is used up before its end.
    mutating func next(_ input: Span<UInt8>, at position: inout Int) throws(HTTPViolation) -> Bool {
        switch coding {
        case .length(let left):
            let count = min(left, input.count - position)
            body.append(input.extracting(position..<position + count))
            position += count
            coding = .length(left: left - count)
            return left == count
        case .chunked(var decoder):
            defer { coding = .chunked(decoder) }
            return try decoder.next(input, at: &position, into: &body)
        }
    }

    /// Hands the content over.
    mutating func takeBody() -> [UInt8] {
        var taken: [UInt8] = []
        swap(&taken, &body)
        return taken
    }
}
