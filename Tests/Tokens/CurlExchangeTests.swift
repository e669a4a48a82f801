import Foundation
import MildamKeychain
import MildamSystem
import MildamTokens
import MildamTransport
import TestSupport
import Testing

@Suite("libcurl")
struct CurlExchangeTests {
    private func exchange(
        _ request: OutgoingRequest,
        _ limits: CurlExchange.Limits = .init()
    ) async -> Result<IncomingAnswer, ExchangeError> {
        do throws(ExchangeError) { return .success(try await CurlExchange(limits: limits).exchange(request)) } catch {
            return .failure(error)
        }
    }

    private func error(
        _ steps: [GateServer.Step],
        _ change: (inout CurlExchange.Limits) -> Void = { _ in }
    ) async throws
        -> ExchangeError?
    {
        let server = try GateServer { _ in steps }
        var limits = CurlExchange.Limits()
        limits.timeout = .milliseconds(500)
        change(&limits)
        let url = try #require(ServerURL(server.url("/")))
        switch await exchange(OutgoingRequest("GET", url), limits) {
        case .success: return nil
        case .failure(let error): return error
        }
    }

    @Test func whatIsSentArrivesAndNothingElse() async throws {
        let seen = Lock<GateRequest?>(nil)
        let server = try GateServer { request in
            seen.withLock { $0 = request }
            return [.send(GateServer.answer(201, "body", fields: ["X-One: 1", "X-Two:  a ", "X-Two: b"]))]
        }
        let url = try #require(ServerURL(server.url("/path?x=1")))
        let answer = try await exchange(
            OutgoingRequest("POST", url, fields: [.init("X-Y", text: "z")], body: SecretValue(text: "a=b"))
        ).get()
        #expect(answer.status == 201 && answer.body.text == "body")
        #expect(answer.only("x-one") == "1" && answer.only("x-two") == nil && answer.all("x-two") == ["a", "b"])
        let request = try #require(seen.withLock { $0 })
        #expect(request.method == "POST" && request.target == "/path?x=1" && request.body == "a=b")
        #expect(Set(request.fields.keys) == ["host", "user-agent", "x-y", "content-length"])
    }

    @Test func redirectsAreNotFollowed() async throws {
        let visits = Lock(0)
        let server = try GateServer { request in
            visits.withLock { $0 += 1 }
            return [.send(GateServer.answer(307, "", fields: ["Location: /elsewhere"]))]
        }
        let url = try #require(ServerURL(server.url("/")))
        #expect(try await exchange(OutgoingRequest("POST", url, body: SecretValue(text: "a"))).get().status == 307)
        #expect(visits.withLock { $0 } == 1)
    }

    @Test func nothingIsSentTwice() async throws {
        let visits = Lock(0)
        let server = try GateServer { _ in
            visits.withLock { $0 += 1 }
            return []
        }
        let url = try #require(ServerURL(server.url("/")))
        for _ in 0..<3 {
            #expect(await exchange(OutgoingRequest("POST", url, body: SecretValue(text: "a"))).failure == .cut)
        }
        #expect(visits.withLock { $0 } == 3)
    }

    @Test func whatIsCutSlowOrLongIsAnError() async throws {
        let whole = GateServer.answer(200, "0123456789")
        #expect(try await error([.send(whole)]) == nil)
        for count in stride(from: 0, to: whole.count, by: 7) {
            #expect(try await error([.send(Array(whole.prefix(count)))]) == .cut, "after \(count) bytes")
        }
        #expect(try await error([.pause(milliseconds: 2000)]) == .timedOut)
        #expect(try await error([.send(Array(whole.prefix(40))), .pause(milliseconds: 2000)]) == .timedOut)
        #expect(try await error([.send(whole)], { $0.bodyBytes = 9 }) == .tooLong)
        let endless = Array("HTTP/1.1 200 X\r\n\r\n".utf8) + [UInt8](repeating: 65, count: 2 << 20)
        #expect(try await error([.send(endless)]) == .tooLong)
        let announced = Array("HTTP/1.1 200 X\r\nContent-Length: 9999999999999\r\n\r\n".utf8)
        #expect(try await error([.send(announced)]) == .tooLong)
        let field = "X: " + String(repeating: "y", count: 1000) + "\r\n"
        let head = Array(("HTTP/1.1 200 X\r\n" + String(repeating: field, count: 100) + "\r\n").utf8)
        #expect(try await error([.send(head)]) == .tooLong)
        #expect(try await error([.send(Array("220 mail.example.org\r\n".utf8))]) == .cut)
    }

    @Test func nobodyThereOrNoSuchField() async throws {
        let server = try GateServer { _ in [] }
        let port = server.port
        let url = try #require(ServerURL("http://127.0.0.1:\(port == 1 ? 2 : 1)/"))
        #expect(await exchange(OutgoingRequest("GET", url)).failure == .unreachable)
        let good = try #require(ServerURL(server.url("/")))
        for (name, value) in [("X", "a\r\nEvil: 1"), ("X\r\nEvil", "1"), ("X", "ü"), ("", "a"), ("X", "")] {
            let request = OutgoingRequest("GET", good, fields: [.init(name, text: value)])
            #expect(await exchange(request).failure == .invalidRequest)
        }
    }

    @Test func aCancelledTaskDoesNotWait() async throws {
        let server = try GateServer { _ in [.pause(milliseconds: 8000)] }
        let url = try #require(ServerURL(server.url("/")))
        let task = Task { await exchange(OutgoingRequest("GET", url)) }
        try await Task.sleep(for: .milliseconds(100))
        let start = ContinuousClock.now
        task.cancel()
        #expect(await task.value.failure == .cancelled)
        #expect(ContinuousClock.now - start < .seconds(4))
    }

    /// What stays on this machine goes through no proxy; what leaves it goes through the one that is named.
    @Test func proxiesOfTheEnvironment() async throws {
        let seen = Lock<[String]>([])
        let proxy = try GateServer { request in
            seen.withLock { $0.append(request.method + " " + request.target) }
            return [.send(GateServer.answer(502, ""))]
        }
        let server = try GateServer { _ in [.send(GateServer.answer(200, "direct"))] }
        for name in ["http_proxy", "https_proxy"] { unsafe setenv(name, proxy.url(""), 1) }
        defer { for name in ["http_proxy", "https_proxy"] { unsafe unsetenv(name) } }
        let near = try #require(ServerURL(server.url("/")))
        #expect(try await exchange(OutgoingRequest("GET", near)).get().body.text == "direct")
        let far = try #require(ServerURL("https://example.invalid/"))
        #expect(await exchange(OutgoingRequest("GET", far)).failure != nil)
        #expect(seen.withLock { $0 } == ["CONNECT example.invalid:443"])
    }

    @Test func theCertificateIsTheServersOrNothingIsSent() async throws {
        let folder = try TemporaryFolder()
        for name in ["good", "other"] {
            let address = name == "good" ? "127.0.0.1" : "127.0.0.2"
            let result = try Program.run(
                "openssl",
                [
                    "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
                    "-subj", "/CN=\(name)", "-addext", "subjectAltName=IP:\(address)",
                    "-keyout", folder.file("\(name).key"), "-out", folder.file("\(name).pem"),
                ]
            )
            #expect(result.status == 0)
        }
        let loop = try EventLoop(name: "tls")
        loop.start()
        defer { loop.stop() }
        let handler = Teapot()
        func serve(_ name: String) throws -> ServerURL {
            let server = HTTPServer(
                loop: loop,
                address: .loopback(port: 0),
                tls: TLSServerConfiguration(
                    certificateChainFile: folder.file("\(name).pem"),
                    privateKeyFile: folder.file("\(name).key")
                ),
                handler: handler
            )
            return try #require(ServerURL("https://\(try server.start())/"))
        }
        func ask(_ url: ServerURL, _ authorities: String?) async -> Result<Int, ExchangeError> {
            do throws(ExchangeError) {
                let exchange = CurlExchange(authorities: authorities)
                return .success(try await exchange.exchange(OutgoingRequest("GET", url)).status)
            } catch {
                return .failure(error)
            }
        }
        let good = try serve("good")
        #expect(await ask(good, folder.file("good.pem")) == .success(418))
        #expect(await ask(good, nil) == .failure(.tls))
        #expect(await ask(good, folder.file("other.pem")) == .failure(.tls))
        #expect(await ask(try serve("other"), folder.file("other.pem")) == .failure(.tls))
        #expect(handler.count.withLock { $0 } == 1)
    }

    private final class Teapot: HTTPHandler {
        let count = Lock(0)

        func handle(_ request: HTTPRequest, _ reply: HTTPReply) {
            count.withLock { $0 += 1 }
            reply.send(HTTPResponse(status: 418))
        }
    }
}

extension Result {
    /// Why it failed; `nil` when it did not.
    fileprivate var failure: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }
}
