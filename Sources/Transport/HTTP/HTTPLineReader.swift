/// Gathers one line that ends in CR LF, byte by byte or all at once, with the same result.
///
/// Pure and incremental: each byte is looked at once. A bare CR or LF and every control character but HTAB is refused
/// when it arrives, not when the line ends.
struct HTTPLineReader {
    /// The bytes of the line so far, without its end. A whole line stands here until the next is asked for.
    private(set) var line: [UInt8] = []
    private var sawCarriageReturn = false
    private var isWhole = false

    /// Whether nothing of a line has arrived.
    var isEmpty: Bool { (line.isEmpty || isWhole) && !sawCarriageReturn }

    /// Takes bytes from `input` at `position` until the line is whole.
    ///
    /// - Parameter budget: how many bytes, line ends included, may still come; lowered by what is taken.
    /// - Returns: whether `line` is whole; `false` when the input is used up before its end.
    mutating func next(
        _ input: Span<UInt8>,
        at position: inout Int,
        budget: inout Int,
        tooLong: HTTPViolation
    ) throws(HTTPViolation) -> Bool {
        if isWhole {
            line.removeAll(keepingCapacity: true)
            isWhole = false
        }
        while position < input.count {
            if sawCarriageReturn {
                guard input[position] == 0x0A else { throw .controlCharacter }
                try spend(1, of: &budget, tooLong)
                position += 1
                sawCarriageReturn = false
                isWhole = true
                return true
            }
            var end = position
            while end < input.count, HTTPBytes.isLineByte(input[end]) { end += 1 }
            try spend(end - position, of: &budget, tooLong)
            line.append(input.extracting(position..<end))
            position = end
            guard position < input.count else { return false }
            guard input[position] == 0x0D else { throw .controlCharacter }
            try spend(1, of: &budget, tooLong)
            sawCarriageReturn = true
            position += 1
        }
        return false
    }

    private func spend(_ count: Int, of budget: inout Int, _ tooLong: HTTPViolation) throws(HTTPViolation) {
        guard count <= budget else { throw tooLong }
        budget -= count
    }
}
