import MildamCrypto

/// Reads comma-separated values (RFC 4180) strictly, record by record: where each field's characters lie, and no copy.
///
/// A line ends with CRLF or LF. A field is quoted as a whole or not at all. A record that breaks this is refused by
/// itself, and reading goes on at the next line.
struct CSVReader {
    /// Where a field's characters lie, without the quotation marks around it.
    struct Field {
        let range: Range<Int>
        /// Whether each quotation mark in it is written twice.
        let isQuoted: Bool

        /// What the field says, in secret memory.
        func secret(in text: Span<UInt8>) -> SecretBytes {
            var bytes = SecretBuilder(capacity: range.count)
            var position = range.lowerBound
            while position < range.upperBound {
                bytes.append(text[position])
                position += isQuoted && text[position] == CSVReader.quote ? 2 : 1
            }
            return bytes.finish()
        }

        /// What the field says, in memory that nothing wipes; `nil` when it is not UTF-8.
        func string(in text: Span<UInt8>) -> String? { secret(in: text).span.text }
    }

    /// A record: its fields, or what is wrong with it.
    typealias Record = Result<[Field], RowDefect>

    private var position: Int

    private static let quote = UInt8(ascii: "\"")

    /// Begins after a byte order mark.
    init(_ text: Span<UInt8>) { position = text.byteOrderMarkSize }

    /// The next record; `nil` at the end. Empty lines are passed over.
    mutating func next(_ text: Span<UInt8>) -> Record? {
        while position < text.count, let size = lineEnd(text, at: position) { position += size }
        guard position < text.count else { return nil }
        let start = position
        do throws(RowDefect) { return .success(try record(text)) } catch {
            // Nobody knows where a field without an end was meant to end: on the record's first line, one hopes. No line
            // is read more than twice for that, since those passed over have even numbers of quotation marks.
            if error == .tooLarge || position >= text.count { position = start }
            skipLine(text)
            return .failure(error)
        }
    }

    private mutating func record(_ text: Span<UInt8>) throws(RowDefect) -> [Field] {
        var fields: [Field] = []
        while true {
            let field = try field(text)
            guard fields.count < TransferLimits.columns else {
                throw .fieldCount(fields.count + 1, expected: TransferLimits.columns)
            }
            fields.append(field)
            if position == text.count { return fields }
            if let size = lineEnd(text, at: position) {
                position += size
                return fields
            }
            guard text[position] == UInt8(ascii: ",") else { throw .quotes }
            position += 1
        }
    }

    private mutating func field(_ text: Span<UInt8>) throws(RowDefect) -> Field {
        let isQuoted = position < text.count && text[position] == Self.quote
        if isQuoted { position += 1 }
        let start = position
        while position < text.count {
            guard position - start <= 2 * SecretValue.maximumSize else { throw .tooLarge }
            let byte = text[position]
            if isQuoted {
                if byte != Self.quote {
                    position += 1
                } else if position + 1 < text.count, text[position + 1] == Self.quote {
                    position += 2
                } else {
                    defer { position += 1 }
                    return Field(range: start..<position, isQuoted: true)
                }
            } else if byte == UInt8(ascii: ",") || lineEnd(text, at: position) != nil {
                break
            } else if byte == Self.quote || byte == UInt8(ascii: "\r") {
                throw .quotes
            } else {
                position += 1
            }
        }
        guard !isQuoted else { throw .quotes }
        return Field(range: start..<position, isQuoted: false)
    }

    /// How many bytes the line's end here takes; `nil` where there is none.
    private func lineEnd(_ text: Span<UInt8>, at place: Int) -> Int? {
        if text[place] == UInt8(ascii: "\n") { return 1 }
        let isPair =
            text[place] == UInt8(ascii: "\r") && place + 1 < text.count && text[place + 1] == UInt8(ascii: "\n")
        return isPair ? 2 : nil
    }

    private mutating func skipLine(_ text: Span<UInt8>) {
        while position < text.count, text[position] != UInt8(ascii: "\n") { position += 1 }
    }
}
