/// Takes the chunked transfer coding off a body (RFC 9112, section 7.1). Pure and incremental.
///
/// Chunk extensions are ignored and trailer fields dropped; both count against a budget of their own, so that neither
/// can be endless.
struct ChunkedDecoder {
    private enum State {
        case size
        case data(left: Int)
        case dataEnd
        case lineFeed
        case trailers
        case done
    }

    /// Bytes of one chunk-size line, extensions included.
    static let maxSizeLine = 256
    /// Bytes of extensions, size lines and trailers allowed beside the content: this, and as much as the content.
    static let overhead = 16 * 1024

    private var state = State.size
    private var line = HTTPLineReader()
    private var lineBudget = ChunkedDecoder.maxSizeLine
    private var trailers: HTTPFieldSection
    private var trailerBudget: Int
    private var room: Int
    private var overheadLeft: Int

    init(limit: Int, maxTrailerBytes: Int, maxTrailers: Int) {
        room = limit
        trailers = HTTPFieldSection(maxFields: maxTrailers)
        trailerBudget = maxTrailerBytes
        overheadLeft = Self.overhead
    }

    /// Takes bytes from `input` at `position` and appends the content among them to `body`.
    ///
    /// - Returns: whether the body is whole; `false` when the input is used up before its end.
    mutating func next(
        _ input: Span<UInt8>,
        at position: inout Int,
        into body: inout [UInt8]
    ) throws(HTTPViolation) -> Bool {
        while true {
            switch state {
            case .size:
                guard try line.next(input, at: &position, budget: &lineBudget, tooLong: .chunk) else { return false }
                try begin(chunk: Self.size(in: line.line), lineLength: line.line.count)
            case .data(let left):
                let count = min(left, input.count - position)
                guard count > 0 else { return false }
                body.append(input.extracting(position..<position + count))
                position += count
                overheadLeft += min(count, Int.max - overheadLeft)
                state = left == count ? .dataEnd : .data(left: left - count)
            case .dataEnd:
                guard position < input.count else { return false }
                // A control character is one wherever the bytes are cut.
                guard input[position] == 0x0D else {
                    throw HTTPBytes.isLineByte(input[position]) ? .chunk : .controlCharacter
                }
                position += 1
                state = .lineFeed
            case .lineFeed:
                guard position < input.count else { return false }
                guard input[position] == 0x0A else { throw .controlCharacter }
                position += 1
                state = .size
            case .trailers:
                guard try trailers.next(input, at: &position, budget: &trailerBudget) != nil else { return false }
                state = .done
            case .done:
                return true
            }
        }
    }

    private mutating func begin(chunk size: Int, lineLength: Int) throws(HTTPViolation) {
        lineBudget = Self.maxSizeLine
        // Many tiny chunks are legal, many long extensions are an attack on the processor.
        guard lineLength <= overheadLeft else { throw .chunk }
        overheadLeft -= lineLength
        guard size <= room else { throw .bodyTooLarge }
        room -= size
        state = size == 0 ? .trailers : .data(left: size)
    }

    /// 1*HEXDIG, then nothing or an extension that starts with ";".
    private static func size(in line: [UInt8]) throws(HTTPViolation) -> Int {
        var size = 0
        var digits = 0
        for byte in line {
            guard let digit = Percent.digit(byte) else {
                guard byte == UInt8(ascii: ";"), digits > 0 else { throw .chunk }
                return size
            }
            digits += 1
            guard digits <= 15 else { throw .chunk }
            size = size << 4 | Int(digit)
        }
        guard digits > 0 else { throw .chunk }
        return size
    }
}

extension [UInt8] {
    /// Appends in one copy.
    mutating func append(_ bytes: Span<UInt8>) {
        unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
    }
}
