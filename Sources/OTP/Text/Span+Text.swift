extension Span<UInt8> {
    /// Whether the bytes begin with a text, whose letters are lower case, in any case.
    package func starts(with text: StaticString) -> Bool {
        guard count >= text.utf8CodeUnitCount else { return false }
        return text.withUTF8Buffer { text in
            for place in text.indices where unsafe self[place].lowercased != text[place] { return false }
            return true
        }
    }

    /// Whether the bytes are a text, whose letters are lower case, in any case.
    package func equals(_ text: StaticString) -> Bool { count == text.utf8CodeUnitCount && starts(with: text) }

    /// The place of a byte, from a place on.
    package func firstIndex(of byte: UInt8, from start: Int = 0) -> Int? {
        for index in start..<Swift.max(start, count) where self[index] == byte { return index }
        return nil
    }

    /// Where the text lies without what surrounds it: a byte order mark, white space, and the quotation marks of a line
    /// that was written as a JSON string.
    package var trimmedRange: Range<Int> {
        var start = 0
        var end = count
        func isAround(_ byte: UInt8) -> Bool { byte.isSpace || byte == UInt8(ascii: "\"") }
        if count >= 3, self[0] == 0xef, self[1] == 0xbb, self[2] == 0xbf { start = 3 }
        while start < end, isAround(self[start]) { start += 1 }
        while end > start, isAround(self[end - 1]) { end -= 1 }
        return start..<end
    }
}
