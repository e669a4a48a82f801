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
            guard let bytes = try line.next(input, at: &position, budget: &budget, tooLong: .targetTooLong) else {
                return nil
            }
            // One empty line before a request is forgiven (RFC 9112, section 2.2).
            if bytes.isEmpty, mayBeEmptyLine {
                mayBeEmptyLine = false
            } else {
                requestLine = try Self.parse(bytes)
            }
        }
        guard let start = requestLine, let fields = try fields.next(input, at: &position, budget: &budget) else {
            return nil
        }
        return try Self.check(start, fields)
    }

    private static func parse(_ bytes: [UInt8]) throws(HTTPViolation) -> RequestLine {
        let parts = bytes.split(separator: 0x20, omittingEmptySubsequences: false)
        guard parts.count == 3, !parts[0].isEmpty, parts[0].allSatisfy(HTTPBytes.isToken) else { throw .requestLine }
        let isOldVersion = try parseVersion(parts[2], else: .requestLine) == 0
        guard let method = HTTPMethod(rawValue: String(decoding: parts[0], as: UTF8.self)) else {
            throw .unknownMethod
        }
        guard let target = HTTPTarget(parts[1]), target.path != "*" || method == .options else { throw .target }
        return RequestLine(method: method, target: target, isOldVersion: isOldVersion)
    }

    /// The minor version of HTTP/1.x: 0 or 1.
    static func parseVersion(
        _ bytes: ArraySlice<UInt8>,
        else malformed: HTTPViolation
    ) throws(HTTPViolation) -> Int {
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        let text = Array(bytes)
        guard text.count == 8, text.starts(with: "HTTP/".utf8), digits.contains(text[5]), text[6] == UInt8(ascii: "."),
            digits.contains(text[7])
        else { throw malformed }
        guard text[5] == UInt8(ascii: "1"), text[7] <= UInt8(ascii: "1") else { throw .version }
        return Int(text[7] - UInt8(ascii: "0"))
    }

    private static func check(_ start: RequestLine, _ fields: HTTPFields) throws(HTTPViolation) -> HTTPRequestHead {
        let hosts = fields.values(of: "Host")
        guard hosts.count == 1 || (hosts.isEmpty && start.isOldVersion) else { throw .host }
        if let host = hosts.first {
            guard !host.isEmpty, host.utf8.allSatisfy(HTTPBytes.isHostByte) else { throw .host }
        }
        let expectations = fields.values(of: "Expect")
        if !start.isOldVersion, let expectation = expectations.first {
            guard expectations.count == 1, HTTPFields.isSame(expectation, "100-continue") else { throw .expectation }
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
