extension Span<UInt8> {
    /// Whether the last byte is a line break.
    var endsLine: Bool { !isEmpty && self[count - 1] == UInt8(ascii: "\n") }
}
