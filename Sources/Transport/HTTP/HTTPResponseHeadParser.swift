/// The checked head of a response.
struct HTTPResponseHead: Sendable, Equatable {
    let status: Int
    let fields: HTTPFields
    let framing: HTTPFraming

    var closesAfterwards: Bool { fields.contains("close", in: "Connection") }
}

/// Reads a status line and the fields behind it (RFC 9112, section 4), strictly. Pure and incremental.
struct HTTPResponseHeadParser {
    private var budget: Int
    private var line = HTTPLineReader()
    private var status: Int?
    private var fields: HTTPFieldSection

    init(maxHeadBytes: Int, maxFields: Int) {
        budget = maxHeadBytes
        fields = HTTPFieldSection(maxFields: maxFields)
    }

    /// Takes bytes from `input` at `position` until the head is whole.
    ///
    /// - Returns: the head, or `nil` when the input is used up before its end.
    mutating func next(_ input: Span<UInt8>, at position: inout Int) throws(HTTPViolation) -> HTTPResponseHead? {
        if status == nil {
            guard try line.next(input, at: &position, budget: &budget, tooLong: .headTooLarge) else { return nil }
            status = try Self.parse(line.line.span)
        }
        guard let status, let fields = try fields.next(input, at: &position, budget: &budget) else { return nil }
        return HTTPResponseHead(
            status: status,
            fields: fields,
            framing: try HTTPFraming(of: fields, isOldVersion: false)
        )
    }

    /// "HTTP/1.1 200 OK"; the reason may be empty, its space may not be missing. Answers of HTTP/1.0 are refused.
    private static func parse(_ line: Span<UInt8>) throws(HTTPViolation) -> Int {
        guard line.count >= 13, line[8] == 0x20, line[12] == 0x20 else { throw .statusLine }
        guard try HTTPHeadParser.parseVersion(line.extracting(..<8), else: .statusLine) == 1 else { throw .version }
        guard let status = line.extracting(9..<12).decimal, (100...599).contains(status)
        else { throw .statusLine }
        return status
    }
}
