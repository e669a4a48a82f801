extension Span<UInt8> {
    /// Whether no more than 64 characters of this JSON are beyond ASCII, or written as `\u` escapes. Names and texts are
    /// compared as Unicode has it, which takes time that grows with the square of a run of combining marks; and this is
    /// read before it is known who wrote it.
    var isNearlyASCII: Bool {
        var foreign = 0
        var previous: UInt8 = 0
        for index in indices {
            let byte = self[index]
            if byte >= 0x80 || (byte == UInt8(ascii: "u") && previous == UInt8(ascii: "\\")) { foreign += 1 }
            previous = byte
        }
        return foreign <= 64
    }
}
