import Testing

@testable import MildamTransport

@Suite("RFC 9112, section 7.1: the chunked transfer coding")
struct ChunkedDecoderTests {
    static let accepted: [(String, String)] = [
        ("0\r\n\r\n", ""),
        ("5\r\nhello\r\n0\r\n\r\n", "hello"),
        ("5;a=\"b\"\r\nhello\r\n006\r\n world\r\n000\r\n\r\n", "hello world"),
        ("A\r\n0123456789\r\n0\r\nTrailer: dropped\r\nX: y\r\n\r\n", "0123456789"),
        ("2\r\n\r\n\r\n0\r\n\r\n", "\r\n"),
    ]

    @Test("The same content wherever the bytes are cut", arguments: accepted)
    func accepts(_ text: String, _ content: String) {
        let bytes = Array(text.utf8)
        for cut in bytes.indices {
            #expect(decode([bytes[..<cut]]) == .success(nil), "cut at \(cut)")
            #expect(decode([bytes[..<cut], bytes[cut...]]) == .success(content), "cut at \(cut)")
        }
        #expect(decode(bytes.map { [$0][...] }) == .success(content))
    }

    static let refused: [(String, HTTPViolation)] = [
        ("\r\n", .chunk), ("g\r\n", .chunk), (" 5\r\nhello", .chunk), ("5 \r\nhello", .chunk), ("0x5\r\n", .chunk),
        ("-1\r\n", .chunk), (";a\r\n", .chunk), ("5\nhello", .controlCharacter), ("5\r\nhelloX", .chunk),
        ("5\r\nhello\n", .controlCharacter), ("5\r\nhello\u{1}", .controlCharacter), ("5\r\nhelloX\u{1}", .chunk),
        ("5\r\nhello\rX", .controlCharacter), ("5\r\nhello0\r\n\r\n", .chunk), ("FFFFFFFFFFFFFFFF\r\n", .chunk),
        ("7FFFFFFFFFFFFFF\r\n", .bodyTooLarge), ("15\r\n", .bodyTooLarge), ("a\r\n0123456789\r\nb\r\n", .bodyTooLarge),
        ("5;" + String(repeating: "x", count: 300), .chunk), ("0\r\nX : y\r\n\r\n", .fieldName),
        ("0\r\nX: " + String(repeating: "y", count: 600), .headTooLarge),
        ("0\r\n" + String(repeating: "a: b\r\n", count: 20), .tooManyFields),
        ("0\r\n a: b\r\n\r\n", .foldedLine), ("0\r\na b\r\n\r\n", .fieldName),
        ("0\r\na: b\nc: d\r\n\r\n", .controlCharacter), ("0\n\r\n", .controlCharacter),
        ("5;a\u{0}b\r\nhello", .controlCharacter), ("5;a\nhello", .controlCharacter), ("5,5\r\nhello", .chunk),
    ]

    @Test("Refused wherever the bytes are cut", arguments: refused)
    func refuses(_ text: String, _ violation: HTTPViolation) {
        let bytes = Array(text.utf8)
        for cut in bytes.indices {
            #expect(decode([bytes[..<cut], bytes[cut...]]) == .failure(violation), "cut at \(cut)")
        }
        #expect(decode(bytes.map { [$0][...] }) == .failure(violation))
    }

    @Test func extensionsAreBounded() {
        // Each line is short enough; together they pass what is allowed beside the content.
        let line = "1;" + String(repeating: "x", count: 200) + "\r\ny\r\n"
        #expect(decode([Array(String(repeating: line, count: 100).utf8)[...]], limit: 1000) == .failure(.chunk))
    }

    private func decode(_ pieces: [ArraySlice<UInt8>], limit: Int = 20) -> Result<String?, HTTPViolation> {
        var decoder = ChunkedDecoder(limit: limit, maxTrailerBytes: 200, maxTrailers: 2)
        var body: [UInt8] = []
        do throws(HTTPViolation) {
            for piece in pieces {
                let bytes = Array(piece)
                var position = 0
                if try decoder.next(bytes.span, at: &position, into: &body) {
                    return .success(String(decoding: body, as: UTF8.self))
                }
            }
            return .success(nil)
        } catch {
            return .failure(error)
        }
    }
}
