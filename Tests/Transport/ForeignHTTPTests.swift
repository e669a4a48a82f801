import Foundation
import MildamSystem
import TestSupport
import Testing

@testable import MildamTransport
@testable import TransportSupport

@Suite("RFC 9112: with curl, ab, wrk and openssl")
struct ForeignHTTPTests {
    private let folder: TemporaryFolder
    private static let certificates = Result { try TestCertificates() }

    init() throws {
        folder = try TemporaryFolder()
    }

    /// A file with something in it that tells every position from its neighbours.
    private func file(_ count: Int) throws -> String {
        let path = folder.file("\(count)")
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 ^ $0 >> 8) }
        try WholeFile.write(bytes.span, to: path)
        return path
    }

    private func isSame(_ first: String, _ second: String, _ limit: Int) throws -> Bool {
        try WholeFile.read(first, limit: limit) == WholeFile.read(second, limit: limit)
    }

    private func curl(_ arguments: [String]) throws -> Program.Result {
        try Program.run("curl", ["-sS", "--max-time", "20"] + arguments)
    }

    @Test("curl: uploads in chunks", .enabled(if: Foreign.curl), arguments: [0, 1, 1000, 1_000_000])
    func chunks(_ count: Int) throws {
        let server = try EchoServer()
        let (sent, answer) = (try file(count), folder.file("answer"))
        let result = try curl([
            "-v", "-H", "Transfer-Encoding: chunked", "--data-binary", "@\(sent)", "-o", answer,
            "http://\(server.address)/",
        ])
        #expect(result.status == 0 && result.errors.contains("> Transfer-Encoding: chunked"), "\(result)")
        #expect(try isSame(sent, answer, 2_000_000))
    }

    @Test("curl: asks before it sends much", .enabled(if: Foreign.curl), arguments: [false, true])
    func asksFirst(_ overTLS: Bool) throws {
        let certificates = try Self.certificates.get()
        let server = try EchoServer(tls: overTLS ? certificates.server("good") : nil)
        let url = "\(overTLS ? "https" : "http")://\(server.address)/"
        let (sent, answer) = (try file(1_100_000), folder.file("answer"))
        let asking = ["-v", "--cacert", certificates.authorityFile, "-H", "Expect: 100-continue"]
        // Should nobody say that it may go on, curl would wait longer than it may.
        let patience = ["--expect100-timeout", "60"]
        let result = try curl(asking + patience + ["--data-binary", "@\(sent)", "-o", answer, url])
        #expect(result.status == 0 && result.errors.contains("< HTTP/1.1 100 Continue"), "\(result)")
        #expect(try isSame(sent, answer, 2_000_000))
        let refused = try curl(
            asking + patience + ["--data-binary", "@\(try file(3_000_000))", "-w", "%{http_code} %{size_upload}", url]
        )
        #expect(refused.output == "no413 0", "\(refused)")
    }

    @Test("curl: uses its connection again", .enabled(if: Foreign.curl))
    func again() throws {
        let server = try EchoServer()
        let url = "http://\(server.address)/"
        let write = ["-o", folder.file("answer"), "-w", "%{num_connects} %{http_code}\n"]
        let one = write + ["--data-binary", "@\(try file(100_000))", url]
        let result = try curl(one + ["--next"] + one + ["--next"] + write + ["-I", url, "--next"] + write + [url])
        #expect(result.output == "1 200\n0 200\n0 200\n0 200\n", "\(result)")
    }

    @Test("ab: keeps connections, speaks HTTP/1.0", .enabled(if: Foreign.ab), arguments: [[], ["-k"]])
    func ab(_ keeping: [String]) throws {
        let server = try EchoServer()
        let content = ["-p", try file(500), "-T", "a/b"]
        let result = try Program.run(
            "ab",
            ["-q", "-n", "2000", "-c", "20", "-s", "20"] + keeping + content + ["http://\(server.address)/"]
        )
        let lines = result.output.split(separator: "\n").map { $0.split(separator: " ").joined(separator: " ") }
        #expect(result.status == 0 && lines.contains("Complete requests: 2000"), "\(result)")
        #expect(lines.contains("Failed requests: 0") && !result.output.contains("Non-2xx"), "\(result)")
        #expect(lines.contains("Document Length: 500 bytes"), "\(result)")
        #expect(keeping.isEmpty || lines.contains("Keep-Alive requests: 2000"), "\(result)")
        #expect(server.handler.kept.withLock { $0.requestCount } == 2000)
    }

    @Test("wrk: as fast as it can", .enabled(if: Foreign.wrk), arguments: [false, true])
    func wrk(_ overTLS: Bool) throws {
        let server = try EchoServer(tls: overTLS ? try Self.certificates.get().server("good") : nil)
        let url = "\(overTLS ? "https" : "http")://\(server.address)/"
        let seconds = Count.of(few: 1, full: 10)
        let result = try Program.run("wrk", ["-t", "1", "-c", "32", "-d", "\(seconds)s", url])
        #expect(result.status == 0 && result.output.contains(" requests in "), "\(result)")
        #expect(!result.output.contains("Socket errors") && !result.output.contains("Non-2xx"), "\(result)")
        #expect(server.handler.kept.withLock { $0.requestCount } > 100 * seconds)
    }

    @Test("openssl: a whole answer, and TLS's goodbye behind it")
    func openssl() throws {
        let certificates = try Self.certificates.get()
        let server = try EchoServer(tls: certificates.server("good"))
        let result = try Program.run(
            "openssl",
            ["s_client", "-quiet", "-ign_eof", "-connect", "\(server.address)", "-CAfile", certificates.authorityFile],
            input: "GET /large/1000000 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
        )
        // A connection that is merely cut makes it complain of an unexpected end and fail.
        #expect(result.status == 0 && !result.errors.contains("unexpected eof"), "\(result.errors)")
        #expect(result.output.hasSuffix("\r\n\r\n" + String(repeating: "a", count: 1_000_000)))
    }
}
