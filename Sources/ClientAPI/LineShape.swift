/// How deep a JSON text goes and how many values it has, counted byte by byte: nothing is kept of it.
///
/// What is no JSON text may be counted wrong, and is refused by whoever reads it after.
struct LineShape {
    private var depth = 0
    private var values = 1
    private var isInString = false
    private var isEscaped = false

    /// Looks at a line.
    ///
    /// - Throws: `tooLong`, `tooDeep`, `tooManyValues`.
    static func check(_ line: Span<UInt8>) throws(ClientLineDefect) {
        guard line.count <= LineLimits.line else { throw .tooLong }
        var shape = LineShape()
        for place in line.indices { try shape.take(line[place]) }
    }

    private mutating func take(_ byte: UInt8) throws(ClientLineDefect) {
        guard !isInString else { return takeInString(byte) }
        switch byte {
        case UInt8(ascii: "\""): isInString = true
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            depth += 1
            values += 1
            guard depth <= LineLimits.depth else { throw .tooDeep }
        case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
        case UInt8(ascii: ","): values += 1
        default: return
        }
        guard values <= LineLimits.values else { throw .tooManyValues }
    }

    private mutating func takeInString(_ byte: UInt8) {
        if isEscaped {
            isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
            isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
            isInString = false
        }
    }
}
