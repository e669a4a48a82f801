import MildamOTP

/// A line of a text that says something: where it lies without what surrounds it, and its number from 1.
struct TextLine {
    let number: Int
    let range: Range<Int>

    /// The first lines of a text but those that are empty or begin with `#`.
    static func first(_ limit: Int, of text: Span<UInt8>) -> [TextLine] {
        var lines: [TextLine] = []
        var number = 1
        var start = 0
        while start < text.count, lines.count < limit {
            let end = text.firstIndex(of: UInt8(ascii: "\n"), from: start) ?? text.count
            let trimmed = text.extracting(start..<end).trimmedRange
            let range = start + trimmed.lowerBound..<start + trimmed.upperBound
            if !range.isEmpty, text[range.lowerBound] != UInt8(ascii: "#") {
                lines.append(TextLine(number: number, range: range))
            }
            number += 1
            start = end + 1
        }
        return lines
    }
}
