/// What is written in a JSON string (RFC 8259, section 7).
enum JSONEscape {
    /// Gives the bytes of a string whose escapes were checked.
    static func decode(_ text: Span<UInt8>, _ take: (UInt8) -> Void) {
        var index = 0
        while index < text.count {
            guard text[index] == UInt8(ascii: "\\") else {
                take(text[index])
                index += 1
                continue
            }
            guard let (scalar, end) = read(text, at: index) else { return }
            UTF8.encode(scalar)?.forEach(take)
            index = end
        }
    }

    /// The character that the escape at a backslash stands for, and where the text goes on; `nil` for none, and for half
    /// of a surrogate pair.
    static func read(_ text: Span<UInt8>, at start: Int) -> (Unicode.Scalar, end: Int)? {
        guard start + 1 < text.count else { return nil }
        if text[start + 1] != UInt8(ascii: "u") { return plain(text[start + 1]).map { ($0, start + 2) } }
        guard let unit = codeUnit(text, at: start) else { return nil }
        if let scalar = Unicode.Scalar(unit) { return (scalar, start + 6) }
        guard UTF16.isLeadSurrogate(unit), start + 7 < text.count, text[start + 6] == UInt8(ascii: "\\"),
            text[start + 7] == UInt8(ascii: "u"), let trail = codeUnit(text, at: start + 6),
            UTF16.isTrailSurrogate(trail)
        else { return nil }
        let value = 0x1_0000 + (UInt32(unit) & 0x3ff) << 10 + UInt32(trail) & 0x3ff
        return Unicode.Scalar(value).map { ($0, start + 12) }
    }

    private static func plain(_ character: UInt8) -> Unicode.Scalar? {
        switch character {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): Unicode.Scalar(character)
        case UInt8(ascii: "b"): "\u{8}"
        case UInt8(ascii: "f"): "\u{c}"
        case UInt8(ascii: "n"): "\n"
        case UInt8(ascii: "r"): "\r"
        case UInt8(ascii: "t"): "\t"
        default: nil
        }
    }

    /// The four digits behind `\u`.
    private static func codeUnit(_ text: Span<UInt8>, at start: Int) -> UInt16? {
        guard start + 5 < text.count else { return nil }
        var unit: UInt16 = 0
        for place in start + 2..<start + 6 {
            guard let digit = Character(Unicode.Scalar(text[place])).hexDigitValue else { return nil }
            unit = unit << 4 | UInt16(digit)
        }
        return unit
    }
}
