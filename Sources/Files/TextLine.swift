/// A line of a text that is not empty: where it lies in the text, without its end, and its number from 1.
struct TextLine {
    let number: Int
    let range: Range<Int>

    /// The lines of a text. They end with LF or CRLF; the last one need not.
    static func all(of text: Span<UInt8>) -> [TextLine] {
        var lines: [TextLine] = []
        var number = 1
        var start = 0
        func add(_ end: Int) {
            let isCarriageReturn = end > start && text[end - 1] == UInt8(ascii: "\r")
            let range = start..<(isCarriageReturn ? end - 1 : end)
            if !range.isEmpty { lines.append(TextLine(number: number, range: range)) }
        }
        for index in text.indices where text[index] == UInt8(ascii: "\n") {
            add(index)
            number += 1
            start = index + 1
        }
        add(text.count)
        return lines
    }
}
