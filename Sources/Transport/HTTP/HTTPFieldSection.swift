/// Reads field lines up to the empty line that ends them (RFC 9112, section 5). Pure and incremental.
struct HTTPFieldSection {
    private var reader = HTTPLineReader()
    private var fields = HTTPFields()
    private let maxFields: Int

    init(maxFields: Int) {
        self.maxFields = maxFields
    }

    /// - Returns: the fields, or `nil` when the input is used up before their end.
    mutating func next(
        _ input: Span<UInt8>,
        at position: inout Int,
        budget: inout Int
    ) throws(HTTPViolation) -> HTTPFields? {
        while try reader.next(input, at: &position, budget: &budget, tooLong: .headTooLarge) {
            if reader.line.isEmpty { return fields }
            guard fields.count < maxFields else { throw .tooManyFields }
            let line = reader.line
            try Self.read(line.span, into: &fields)
        }
        return nil
    }

    private static func read(_ line: Span<UInt8>, into fields: inout HTTPFields) throws(HTTPViolation) {
        guard line[0] != 0x20, line[0] != 0x09 else { throw .foldedLine }
        var colon = 0
        while colon < line.count, HTTPBytes.isToken(line[colon]) { colon += 1 }
        guard colon > 0, colon < line.count, line[colon] == UInt8(ascii: ":") else { throw .fieldName }
        let value = line.extracting((colon + 1)...).trimmingBlanks()
        guard (try? UTF8Span(validating: value)) != nil else { throw .fieldValue }
        fields.append(line.extracting(..<colon), value)
    }
}
