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
        while let line = try reader.next(input, at: &position, budget: &budget, tooLong: .headTooLarge) {
            if line.isEmpty { return fields }
            guard fields.count < maxFields else { throw .tooManyFields }
            let (name, value) = try Self.split(line)
            fields.append(name, value)
        }
        return nil
    }

    static func split(_ line: [UInt8]) throws(HTTPViolation) -> (name: String, value: String) {
        guard line[0] != 0x20, line[0] != 0x09 else { throw .foldedLine }
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > 0,
            line[..<colon].allSatisfy(HTTPBytes.isToken)
        else { throw .fieldName }
        var value = line[(colon + 1)...]
        while let first = value.first, first == 0x20 || first == 0x09 { value.removeFirst() }
        while let last = value.last, last == 0x20 || last == 0x09 { value.removeLast() }
        guard let text = String(validating: value, as: UTF8.self) else { throw .fieldValue }
        return (String(decoding: line[..<colon], as: UTF8.self), text)
    }
}
