/// Reads a request line and the fields behind it (RFC 9112, sections 2 to 5), strictly. Pure and incremental.
///
/// The same bytes give the same result however they are cut.
struct HTTPHeadParser {
    private struct RequestLine {
        let method: HTTPMethod
        let target: HTTPTarget
        let isOldVersion: Bool
    }

    private var budget: Int
    private var line = HTTPLineReader()
    private var requestLine: RequestLine?
    private var fields: HTTPFieldSection
    private var mayBeEmptyLine = true

    init(maxHeadBytes: Int, maxFields: Int) {
        budget = maxHeadBytes
        fields = HTTPFieldSection(maxFields: maxFields)
    }

    /// Whether nothing of a head has arrived; an empty line before it does not count.
    var isEmpty: Bool { requestLine == nil && line.isEmpty }

    /// Takes bytes from `input` at `position` until the head is whole.
    ///
    /// - Returns: the head, or `nil` when the input is used up before its end.
    mutating func next(_ input: Span<UInt8>, at position: inout Int) throws(HTTPViolation) -> HTTPRequestHead? {
        while requestLine == nil {
            guard try line.next(input, at: &position, budget: &budget, tooLong: .targetTooLong) else { return nil }
            // One empty line before a request is forgiven (RFC 9112, section 2.2).
            if line.line.isEmpty, mayBeEmptyLine {
                mayBeEmptyLine = false
            } else {
                requestLine = try Self.parse(line.line.span)
            }
        }
        guard let start = requestLine, let fields = try fields.next(input, at: &position, budget: &budget) else {
            return nil
        }
        return try Self.check(start, fields)
    }

    private static func parse(_ line: Span<UInt8>) throws(HTTPViolation) -> RequestLine {
        var first = 0
        while first < line.count, HTTPBytes.isToken(line[first]) { first += 1 }
        guard first > 0, first < line.count, line[first] == 0x20 else { throw .requestLine }
        var second = first + 1
        while second < line.count, line[second] != 0x20 { second += 1 }
        guard second < line.count else { throw .requestLine }
        let isOldVersion = try parseVersion(line.extracting((second + 1)...), else: .requestLine) == 0
        guard let method = HTTPMethod(rawValue: String(utf8: line.extracting(..<first))) else {
            throw .unknownMethod
        }
        guard let target = target(line.extracting(first + 1..<second)), target.path != "*" || method == .options
        else { throw .target }
        return RequestLine(method: method, target: target, isOldVersion: isOldVersion)
    }

    /// A target in origin form, in absolute form, which servers have to take (RFC 9112, section 3.2.2), or "*". The
    /// authority of an absolute one, which stands for Host, is checked and, like Host, not used.
    private static func target(_ bytes: Span<UInt8>) -> HTTPTarget? {
        guard !bytes.isEmpty, bytes[0] != UInt8(ascii: "/"),
            let scheme = ["http://", "https://"].first(where: { bytes.extracting(first: $0.utf8.count).isSame($0) })
        else { return HTTPTarget(bytes) }
        let rest = bytes.extracting(scheme.utf8.count...)
        var end = 0
        while end < rest.count, rest[end] != UInt8(ascii: "/"), rest[end] != UInt8(ascii: "?") { end += 1 }
        guard HTTPBytes.isHost(rest.extracting(..<end)) else { return nil }
        let path = rest.extracting(end...)
        guard path.isEmpty || path[0] != UInt8(ascii: "/") else { return HTTPTarget(path) }
        return HTTPTarget("/" + String(utf8: path))
    }

    /// The minor version of HTTP/1.x: 0 or 1.
    static func parseVersion(
        _ text: Span<UInt8>,
        else malformed: HTTPViolation
    ) throws(HTTPViolation) -> Int {
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        guard text.count == 8, text.extracting(..<5).isEqual("HTTP/"), digits.contains(text[5]),
            text[6] == UInt8(ascii: "."), digits.contains(text[7])
        else { throw malformed }
        guard text[5] == UInt8(ascii: "1"), text[7] <= UInt8(ascii: "1") else { throw .version }
        return Int(text[7] - UInt8(ascii: "0"))
    }

    private static func check(_ start: RequestLine, _ fields: HTTPFields) throws(HTTPViolation) -> HTTPRequestHead {
        if let host = fields.onlyValue(of: "Host") {
            guard HTTPBytes.isHost(host) else { throw .host }
        } else {
            guard start.isOldVersion, fields.count(of: "Host") == 0 else { throw .host }
        }
        if !start.isOldVersion, fields.count(of: "Expect") > 0 {
            guard fields.onlyValue(of: "Expect")?.isSame("100-continue") == true else { throw .expectation }
        }
        return HTTPRequestHead(
            method: start.method,
            target: start.target,
            isOldVersion: start.isOldVersion,
            fields: fields,
            framing: try HTTPFraming(of: fields, isOldVersion: start.isOldVersion)
        )
    }
}
