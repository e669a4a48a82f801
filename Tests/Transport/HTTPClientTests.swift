import MildamSystem
import TestSupport
import Testing

@testable import MildamTransport

@Suite("RFC 9112: the client over a socket")
struct HTTPClientTests {
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
    private let get: HTTPClientRequest
    private let post: HTTPClientRequest

    init() throws {
        let target = try #require(HTTPTarget("/a?b=c"))
        get = HTTPClientRequest(.get, target)
        post = HTTPClientRequest(.post, target, body: Array("content".utf8))
    }

    @Test func usesAConnectionAgain() async throws {
        let server = try RawServer([[.answer(Self.ok), .answer(Self.ok), .answer(Self.ok)]])
        let client = try HTTPClient(Endpoint(server.address))
        for _ in 0..<3 { #expect(try await client.send(get).body == Array("ok".utf8)) }
        let first = try #require(server.requests.withLock { $0.first })
        #expect(first.text == "GET /a?b=c HTTP/1.1\r\nHost: \(server.address)\r\n\r\n")
    }

    @Test func chunkedAndInformational() async throws {
        let answer =
            "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 201 \r\nTransfer-Encoding: chunked\r\nX: y\r\n\r\n"
            + "3\r\nabc\r\n0\r\n\r\n"
        let server = try RawServer([[.answer(answer)]])
        let response = try await HTTPClient(Endpoint(server.address)).send(post)
        #expect(response.status == 201)
        #expect(response.fields["x"] == "y")
        #expect(response.body == Array("abc".utf8))
    }

    @Test func repeatsWhatIsIdempotentOverAFreshConnection() async throws {
        let server = try RawServer([[.answer(Self.ok), .end], [.answer(Self.ok), .end], [.answer(Self.ok)]])
        let client = try HTTPClient(Endpoint(server.address))
        #expect(try await client.send(get).status == 200)
        #expect(try await client.send(get).status == 200)
        #expect(server.requests.withLock { $0.map(\.connection) } == [0, 0, 1])
        // The second connection is closed in the same way; what is not idempotent is not sent again.
        await #expect(throws: TransportError.closed) { try await client.send(post) }
        #expect(server.requests.withLock { $0.map(\.connection) } == [0, 0, 1, 1])
    }

    @Test func neverRepeatsOverAFreshConnectionOrAfterAByte() async throws {
        let server = try RawServer([[.end], [.answer(Self.ok), .answer("HTTP/1.1 2")]])
        let client = try HTTPClient(Endpoint(server.address))
        await #expect(throws: TransportError.closed) { try await client.send(get) }
        #expect(try await client.send(get).status == 200)
        await #expect(throws: TransportError.protocolViolation(.http(.truncated))) { try await client.send(get) }
        #expect(server.requests.withLock { $0.count } == 3)
    }

    static let refused: [(String, TransportError)] = [
        ("HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n", .protocolViolation(.http(.version))),
        ("HTTP/1.1 20 OK\r\nContent-Length: 0\r\n\r\n", .protocolViolation(.http(.statusLine))),
        ("HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n", .protocolViolation(.http(.statusLine))),
        ("HTTP/1.1 600 X\r\n\r\n", .protocolViolation(.http(.statusLine))),
        ("HTTP/1.1 200 OK\nContent-Length: 0\n\n", .protocolViolation(.http(.controlCharacter))),
        ("HTTP/1.1 200 OK\r\n\r\n", .protocolViolation(.http(.lengthMissing))),
        ("HTTP/1.1 101 X\r\n\r\n", .protocolViolation(.http(.unexpectedResponse))),
        (
            "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
            .protocolViolation(.http(.contentLength))
        ),
        ("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nshort", .protocolViolation(.http(.truncated))),
        ("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n", .limitExceeded(.body)),
        ("HTTP/1.1 200 OK\r\nX: " + String(repeating: "y", count: 20_000), .limitExceeded(.head)),
        (String(repeating: "HTTP/1.1 100 Continue\r\n\r\n", count: 20), .protocolViolation(.http(.unexpectedResponse))),
    ]

    @Test("Refused", arguments: refused)
    func refuses(_ answer: String, _ error: TransportError) async throws {
        let server = try RawServer([[.answer(answer)]])
        var limits = ClientLimits()
        limits.maxBodyBytes = 1000
        let client = try HTTPClient(Endpoint(server.address), limits: limits)
        await #expect(throws: error) { try await client.send(get) }
    }

    @Test func timesOut() async throws {
        let server = try RawServer([[.silence]])
        var limits = ClientLimits()
        limits.requestTimeout = .milliseconds(50)
        let client = try HTTPClient(Endpoint(server.address), limits: limits)
        await #expect(throws: TransportError.timedOut(.response)) { try await client.send(get) }
    }

    @Test func isCancelled() async throws {
        let server = try RawServer([[.silence]])
        let client = try HTTPClient(Endpoint(server.address))
        let task = Task { [get] in try await client.send(get) }
        #expect(await eventually { server.requests.withLock { !$0.isEmpty } })
        task.cancel()
        await #expect(throws: TransportError.cancelled) { try await task.value }
        let before = Task { [get] in
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            return try await client.send(get)
        }
        await #expect(throws: TransportError.cancelled) { try await before.value }
    }

    @Test func manyAtOnceShareFewConnections() async throws {
        let server = try EchoServer()
        var limits = ClientLimits()
        limits.maxConnections = 3
        let client = try HTTPClient(server.endpoint, limits: limits)
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<200 {
                let request = HTTPClientRequest(.post, post.target, body: Array("\(number)".utf8))
                group.addTask { try await client.send(request).body == request.body }
            }
            for try await isSame in group { #expect(isSame) }
        }
        #expect(server.handler.kept.withLock { $0.requestCount } == 200)
    }

    @Test func unreachable() async throws {
        let address = try RawServer([]).address
        let client = try HTTPClient(Endpoint(address))
        await #expect(throws: TransportError.unreachable("\(address)", reason: "Connection refused")) {
            try await client.send(get)
        }
        let nameless = try HTTPClient(#require(Endpoint("http://mildam.invalid")))
        let error = await #expect(throws: TransportError.self) { try await nameless.send(get) }
        guard case .unreachable("mildam.invalid", _) = error else {
            return #expect(Bool(false), "\(String(describing: error))")
        }
    }

    @Test func namesAreLookedUp() async throws {
        let server = try EchoServer()
        let client = try HTTPClient(#require(Endpoint("http://localhost:\(server.address.port)")))
        #expect(try await client.send(get).status == 200)
    }

    @Test func whatMayNotBeSent() async throws {
        let client = try HTTPClient(Endpoint(.loopback(port: 1)))
        var request = get
        request.fields = ["X": "a\r\nY: b"]
        await #expect(throws: TransportError.invalid("header field")) { try await client.send(request) }
        request.fields = ["Host": "b"]
        await #expect(throws: TransportError.invalid("header field")) { try await client.send(request) }
    }

    @Test(
        "Endpoints",
        arguments: [
            ("http://a", "http://a:80"), ("https://a.b-c/", "https://a.b-c:443"),
            ("http://127.0.0.1:8080", "http://127.0.0.1:8080"),
            ("http://[::1]:1", "http://[::1]:1"), ("https://[::1]", "https://[::1]:443"), ("wss://a:1", "https://a:1"),
        ]
    )
    func endpoints(_ text: String, _ expected: String) {
        #expect(Endpoint(text)?.description == expected)
    }

    @Test(
        "No endpoints",
        arguments: [
            "", "a", "http://", "http:///", "ftp://a", "HTTP://a", "http://a/b", "http://a?b", "http://u@a",
            "http://a:",
            "http://a:0", "http://a:65536", "http://a:+1", "http://a:1:2", "http://[::1", "http://[a]",
            "http://[127.0.0.1]",
            "http://[::1]x", "http://a b", "http://\u{E9}", "http://a\r\n", "http://::1",
        ]
    )
    func noEndpoints(_ text: String) {
        #expect(Endpoint(text) == nil)
    }
}
