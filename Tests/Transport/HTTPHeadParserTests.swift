import Testing

@testable import MildamTransport

@Suite("RFC 9112, sections 2 to 6: the head of a request")
struct HTTPHeadParserTests {
    struct Row: CustomTestStringConvertible, Sendable {
        let text: String
        let violation: HTTPViolation
        let status: Int
        var testDescription: String { "\(violation) \(status) \(text.debugDescription)" }

        init(_ text: String, _ violation: HTTPViolation, _ status: Int) {
            self.text = text
            self.violation = violation
            self.status = status
        }
    }

    private static func get(_ lines: String) -> String { "GET / HTTP/1.1\r\nHost: a\r\n\(lines)\r\n\r\n" }

    static let refused: [Row] = [
        // The request line (section 3)
        Row("GET / HTTP/1.1\nHost: a\r\n\r\n", .controlCharacter, 400),
        Row("GET / HTTP/1.1\rHost: a\r\n\r\n", .controlCharacter, 400),
        Row("GET /\u{0} HTTP/1.1\r\nHost: a\r\n\r\n", .controlCharacter, 400),
        Row("GET /\u{7F} HTTP/1.1\r\nHost: a\r\n\r\n", .controlCharacter, 400),
        Row("\u{16}\u{3}\u{1}\u{2}", .controlCharacter, 400),
        Row("\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", .requestLine, 400),
        Row("GET  / HTTP/1.1\r\nHost: a\r\n\r\n", .requestLine, 400),
        Row(" GET / HTTP/1.1\r\nHost: a\r\n\r\n", .requestLine, 400),
        Row("GET / HTTP/1.1 \r\nHost: a\r\n\r\n", .requestLine, 400),
        Row("GET\t/\tHTTP/1.1\r\nHost: a\r\n\r\n", .requestLine, 400),
        Row("GET /\r\n\r\n", .requestLine, 400),
        Row("GET / \r\n\r\n", .requestLine, 400),
        Row("G(T / HTTP/1.1\r\nHost: a\r\n\r\n", .requestLine, 400),
        Row("GET / HTTP/1.10\r\nHost: a\r\n\r\n", .requestLine, 400),
        Row("GET / http/1.1\r\nHost: a\r\n\r\n", .requestLine, 400),
        Row("GET / HTTP/2.0\r\nHost: a\r\n\r\n", .version, 505),
        Row("GET / HTTP/1.2\r\nHost: a\r\n\r\n", .version, 505),
        Row("GET / HTTP/0.9\r\nHost: a\r\n\r\n", .version, 505),
        Row("PRI * HTTP/2.0\r\n\r\n", .version, 505),
        Row("get / HTTP/1.1\r\nHost: a\r\n\r\n", .unknownMethod, 501),
        Row("TRACK / HTTP/1.1\r\nHost: a\r\n\r\n", .unknownMethod, 501),
        Row("CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n", .unknownMethod, 501),
        Row("GET http:// HTTP/1.1\r\nHost: a\r\n\r\n", .target, 400),
        Row("GET http:///a HTTP/1.1\r\nHost: a\r\n\r\n", .target, 400),
        Row("GET http://u@a/ HTTP/1.1\r\nHost: a\r\n\r\n", .target, 400),
        Row("GET http://a#b HTTP/1.1\r\nHost: a\r\n\r\n", .target, 400),
        Row("GET http://a//%zz HTTP/1.1\r\nHost: a\r\n\r\n", .target, 400),
        Row("GET ftp://a/ HTTP/1.1\r\nHost: a\r\n\r\n", .target, 400),
        Row("GET http:a HTTP/1.1\r\nHost: a\r\n\r\n", .target, 400),
        Row("GET http://a/ HTTP/1.1\r\n\r\n", .host, 400),
        Row("GET a HTTP/1.1\r\nHost: a\r\n\r\n", .target, 400),
        Row("GET * HTTP/1.1\r\nHost: a\r\n\r\n", .target, 400),
        Row("GET /#x HTTP/1.1\r\nHost: a\r\n\r\n", .target, 400),
        Row("GET /%zz HTTP/1.1\r\nHost: a\r\n\r\n", .target, 400),
        Row("GET /%4 HTTP/1.1\r\nHost: a\r\n\r\n", .target, 400),
        Row("GET /\u{E9} HTTP/1.1\r\nHost: a\r\n\r\n", .target, 400),
        Row("GET /?a=\"b\" HTTP/1.1\r\nHost: a\r\n\r\n", .target, 400),
        Row("GET /\\ HTTP/1.1\r\nHost: a\r\n\r\n", .target, 400),
        Row("GET /" + String(repeating: "a", count: 600), .targetTooLong, 414),
        // Fields (section 5)
        Row(get("X : y"), .fieldName, 400),
        Row(get(": y"), .fieldName, 400),
        Row(get("X y"), .fieldName, 400),
        Row(get("X(: y"), .fieldName, 400),
        Row(get("X\u{E9}: y"), .fieldName, 400),
        Row(get("X: y\r\n z"), .foldedLine, 400),
        Row(get("X: y\r\n\tz"), .foldedLine, 400),
        Row("GET / HTTP/1.1\r\n Host: a\r\n\r\n", .foldedLine, 400),
        Row(get("X: a\u{0}b"), .controlCharacter, 400),
        Row(get("X: a\u{B}b"), .controlCharacter, 400),
        Row(get("X: a\nY: b"), .controlCharacter, 400),
        Row(get("X: a\rY: b"), .controlCharacter, 400),
        Row(get("X: " + String(repeating: "a", count: 600)), .headTooLarge, 431),
        Row(get((0..<20).map { "X\($0): y" }.joined(separator: "\r\n")), .tooManyFields, 431),
        // Host (RFC 9110, section 7.2)
        Row("GET / HTTP/1.1\r\n\r\n", .host, 400),
        Row(get("host: b"), .host, 400),
        Row("GET / HTTP/1.1\r\nHost:\r\n\r\n", .host, 400),
        Row("GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", .host, 400),
        Row("GET / HTTP/1.1\r\nHost: a@b\r\n\r\n", .host, 400),
        Row("GET / HTTP/1.0\r\nHost: a\r\nHost: a\r\n\r\n", .host, 400),
        Row("GET / HTTP/1.1\r\nHost: a:b\r\n\r\n", .host, 400),
        Row("GET / HTTP/1.1\r\nHost: a:1:2\r\n\r\n", .host, 400),
        Row("GET / HTTP/1.1\r\nHost: :80\r\n\r\n", .host, 400),
        Row("GET / HTTP/1.1\r\nHost: [::1\r\n\r\n", .host, 400),
        Row("GET / HTTP/1.1\r\nHost: a]\r\n\r\n", .host, 400),
        Row("GET / HTTP/1.1\r\nHost: [g]\r\n\r\n", .host, 400),
        Row("GET / HTTP/1.1\r\nHost: a, b\r\n\r\n", .host, 400),
        Row("GET / HTTP/1.1\r\nHost: [::1]x\r\n\r\n", .host, 400),
        // Length (section 6)
        Row(get("Content-Length: 1\r\nContent-Length: 1"), .contentLength, 400),
        Row(get("Content-Length: 1\r\nContent-Length: 2"), .contentLength, 400),
        Row(get("Content-Length: 1, 1"), .contentLength, 400),
        Row(get("Content-Length: +1"), .contentLength, 400),
        Row(get("Content-Length: -1"), .contentLength, 400),
        Row(get("Content-Length: 0x1"), .contentLength, 400),
        Row(get("Content-Length: "), .contentLength, 400),
        Row(get("Content-Length: 9999999999999999999"), .contentLength, 400),
        Row(get("Content-Length: 1\r\nTransfer-Encoding: chunked"), .lengthConflict, 400),
        Row(get("Transfer-Encoding: chunked\r\nContent-Length: 0"), .lengthConflict, 400),
        Row(get("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked"), .transferEncoding, 400),
        Row(get("Transfer-Encoding: chunked, chunked"), .transferEncoding, 400),
        Row(get("Transfer-Encoding: gzip, chunked"), .transferEncoding, 400),
        Row(get("Content-Length: 1 1"), .contentLength, 400),
        Row(get("Content-Length: 1_0"), .contentLength, 400),
        Row(get("Content-Length: \u{0663}"), .contentLength, 400),
        Row(get("Content-Length: 0000000000000000001"), .contentLength, 400),
        Row(get("Content-Length: 1\r\ncontent-length: 1"), .contentLength, 400),
        Row(get("Content-Length : 1"), .fieldName, 400),
        Row(get("Transfer-Encoding : chunked"), .fieldName, 400),
        Row(get("Transfer-Encoding\t: chunked"), .fieldName, 400),
        Row(get("Transfer-Encoding:\r\n chunked"), .foldedLine, 400),
        Row(get("Transfer-Encoding: \u{B}chunked"), .controlCharacter, 400),
        Row(get("Transfer-Encoding: chunked\u{0}"), .controlCharacter, 400),
        Row(get("Transfer-Encoding: identity"), .unknownTransferCoding, 501),
        Row(get("Transfer-Encoding: chunked;q=1"), .unknownTransferCoding, 501),
        Row(get("Transfer-Encoding: \"chunked\""), .unknownTransferCoding, 501),
        Row(get("Transfer-Encoding: chunked, identity"), .transferEncoding, 400),
        Row(get("Transfer-Encoding: gzip"), .unknownTransferCoding, 501),
        Row(get("Transfer-Encoding: xchunked"), .unknownTransferCoding, 501),
        Row(get("Transfer-Encoding: "), .unknownTransferCoding, 501),
        Row("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", .transferEncoding, 400),
        Row(get("Expect: 200-ok"), .expectation, 417),
        Row(get("Expect: 100-continue\r\nExpect: 100-continue"), .expectation, 417),
    ]

    @Test("Refused, wherever the bytes are cut", arguments: refused)
    func refuses(_ row: Row) {
        let bytes = Array(row.text.utf8)
        #expect(row.violation.status == row.status)
        #expect(parse([bytes[...]]) == .failure(row.violation))
        for cut in bytes.indices {
            #expect(parse([bytes[..<cut], bytes[cut...]]) == .failure(row.violation), "cut at \(cut)")
        }
        #expect(parse(bytes.map { [$0][...] }) == .failure(row.violation))
    }

    static let accepted = [
        "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
        "\r\nGET / HTTP/1.1\r\nHost: a:80\r\n\r\n",
        "GET HTTP://a:80/b?c HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET https://[::1]?c HTTP/1.1\r\nHost: a\r\n\r\n",
        "OPTIONS * HTTP/1.1\r\nHost: [::1]:80\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: [::ffff:127.0.0.1]\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a.b-c_d:\r\n\r\n",
        "POST /v1/a%2Fb?x=%C3%A9&y HTTP/1.1\r\nhOsT:a\r\nContent-Length:12\r\nX:\t a  b\t\r\nEmpty:\r\n\r\n",
        "PUT /p HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: Chunked\r\nExpect: 100-Continue\r\n\r\n",
        "GET / HTTP/1.0\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nX: \u{E9}\u{1F600}\r\n\r\n",
    ]

    @Test("Accepted, with the same reading wherever the bytes are cut", arguments: accepted)
    func accepts(_ text: String) throws {
        let bytes = Array(text.utf8)
        let whole = parse([bytes[...]])
        #expect(try whole.get() != nil)
        for cut in bytes.indices {
            #expect(parse([bytes[..<cut]]) == .success(nil), "cut at \(cut)")
            #expect(parse([bytes[..<cut], bytes[cut...]]) == whole, "cut at \(cut)")
        }
        #expect(parse(bytes.map { [$0][...] }) == whole)
    }

    @Test("A name in a query is 128 bytes at most, as it is meant")
    func longQueryNames() throws {
        func items(_ count: Int) throws -> Int? {
            try #require(HTTPTarget("/?\(String(repeating: "%CC%81", count: count))=1")).queryItems?.count
        }
        #expect(try items(64) == 1)
        #expect(try items(65) == nil)
        #expect(HTTPTarget("/?a=\(String(repeating: "x", count: 5000))")?.queryItems?.count == 1)
    }

    @Test("A query has 64 items at most")
    func manyQueryItems() {
        func items(_ count: Int) -> Int? {
            HTTPTarget("/?" + (0..<count).map { "\($0)=1" }.joined(separator: "&"))?.queryItems?.count
        }
        #expect(items(64) == 64)
        #expect(items(65) == nil)
    }

    @Test func readsEveryPart() throws {
        let text = try #require(Self.accepted.first { $0.hasPrefix("POST") })
        let head = try #require(try parse([Array(text.utf8)[...]]).get())
        #expect(head.method == .post)
        #expect(head.target.path == "/v1/a%2Fb")
        #expect(head.target.segments == ["v1", "a/b"])
        #expect(head.target.query == "x=%C3%A9&y")
        #expect(head.target.queryItems?.map(\.name) == ["x", "y"])
        #expect(head.target.queryItems?.map(\.value) == ["\u{E9}", ""])
        #expect(head.framing == .length(12))
        #expect(head.fields["x"] == "a  b")
        #expect(head.fields["EMPTY"]?.isEmpty == true)
        #expect(!head.closesAfterwards)
    }

    @Test(
        "Of an absolute target, the path and the query count",
        arguments: [
            ("http://a/b?c", "/b?c"), ("HTTPS://a:1//b", "//b"), ("http://a", "/"), ("http://[::1]:2?c", "/?c"),
        ]
    )
    func absoluteTargets(_ sent: String, _ read: String) throws {
        let head = try parse([Array("GET \(sent) HTTP/1.1\r\nHost: other\r\n\r\n".utf8)[...]]).get()
        #expect(head?.target.description == read)
    }

    @Test("No single reading, no reading", arguments: ["/../a", "/a/./b", "/%2e%2E", "/a%00", "/%ff"])
    func segments(_ path: String) throws {
        #expect(try #require(HTTPTarget(path)).segments == nil)
    }

    @Test("Every limit is exact")
    func limits() throws {
        let bytes = Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
        var parser = HTTPHeadParser(maxHeadBytes: bytes.count, maxFields: 1)
        var position = 0
        #expect(try parser.next(bytes.span, at: &position) != nil)
        #expect(position == bytes.count)
        parser = HTTPHeadParser(maxHeadBytes: bytes.count - 1, maxFields: 1)
        position = 0
        #expect(throws: HTTPViolation.headTooLarge) { try parser.next(bytes.span, at: &position) }
    }

    private func parse(_ pieces: [ArraySlice<UInt8>]) -> Result<HTTPRequestHead?, HTTPViolation> {
        var parser = HTTPHeadParser(maxHeadBytes: 512, maxFields: 16)
        do throws(HTTPViolation) {
            for piece in pieces {
                let bytes = Array(piece)
                var position = 0
                if let head = try parser.next(bytes.span, at: &position) { return .success(head) }
                #expect(position == bytes.count)
            }
            return .success(nil)
        } catch {
            return .failure(error)
        }
    }
}
