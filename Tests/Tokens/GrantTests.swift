import Foundation
import MildamCrypto
import MildamKeychain
import MildamSystem
import MildamTransport
import MildamWire
import TestSupport
import Testing

@testable import MildamTokens

@Suite("RFC 7636, RFC 8252 and RFC 9207: signing in through the browser")
struct BrowserGrantTests {
    /// A server that gives tokens for any code, and says what it was asked.
    private final class Giver: Sendable {
        let forms = Lock<[[String: String]]>([])
        let gate: GateServer

        init() throws {
            let forms = forms
            gate = try GateServer { request in
                forms.withLock { $0.append(request.form) }
                return [.send(GateServer.answer(200, #"{"access_token":"a","token_type":"Bearer"}"#))]
            }
        }

        func endpoint(_ change: (inout OAuthServer) -> Void = { _ in }) throws -> TokenEndpoint {
            var server = OAuthServer(token: try #require(ServerURL(gate.url("/token"))), issuer: "https://example.org")
            server.authorization = ServerURL("https://example.org/authorize?tenant=1")
            change(&server)
            return TokenEndpoint(server, OAuthClient(id: "me & you"))
        }
    }

    private func items(_ url: ServerURL) -> [String: String] {
        let items = HTTPTarget("/?" + (url.query ?? ""))?.queryItems ?? []
        return Dictionary(items.map { ($0.name, $0.value) }) { first, _ in first }
    }

    /// Signs in with a browser that goes to these addresses, made of the redirect's and the right state.
    private func signIn(
        _ endpoint: TokenEndpoint,
        within limit: Duration = .seconds(20),
        _ visits: @escaping @Sendable (_ redirect: String, _ state: String) -> [String]
    ) async throws -> [Int] {
        let answers = Lock<[Int]>([])
        let done = Lock(false)
        do {
            _ = try await endpoint.signInThroughBrowser(within: limit) { url in
                let values = items(url)
                let addresses = visits(values["redirect_uri"] ?? "", values["state"] ?? "")
                Task.detached {
                    for address in addresses {
                        let status = try? await OAuthPeer.browse(address).status
                        answers.withLock { $0.append(status ?? 0) }
                    }
                    done.withLock { $0 = true }
                }
            }
        } catch {
            _ = await eventually { done.withLock { $0 } }
            throw error
        }
        _ = await eventually { done.withLock { $0 } }
        return answers.withLock { $0 }
    }

    @Test("RFC 7636, appendix B")
    func pkce() {
        let random: [UInt8] = [
            116, 24, 223, 180, 151, 153, 224, 37, 79, 250, 96, 125, 216, 173, 187, 186, 22, 212, 37, 77, 105, 214, 191,
            240, 91, 88, 5, 88, 83, 132, 141, 121,
        ]
        let pkce = PKCE(SecretBytes(copying: random))
        #expect(pkce.verifier.text == "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")
        #expect(pkce.challenge == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
        #expect(PKCE().challenge != PKCE().challenge)
    }

    @Test func theAddressAndTheFormSayWhatTheyMust() async throws {
        let giver = try Giver()
        let shown = Lock<ServerURL?>(nil)
        _ = try await giver.endpoint().signInThroughBrowser(scope: "a b") { url in
            shown.withLock { $0 = url }
            let values = items(url)
            let address = "\(values["redirect_uri"] ?? "")?code=c%2B1&state=\(values["state"] ?? "")"
            Task.detached { _ = try? await OAuthPeer.browse(address) }
        }
        let values = items(try #require(shown.withLock { $0 }))
        let form = try #require(giver.forms.withLock { $0.first })
        #expect(values["tenant"] == "1" && values["client_id"] == "me & you" && values["scope"] == "a b")
        #expect(values["response_type"] == "code" && values["code_challenge_method"] == "S256")
        #expect((values["state"]?.utf8.count ?? 0) >= 43)
        #expect(
            form["code"] == "c+1" && form["redirect_uri"] == values["redirect_uri"] && form["client_id"] == "me & you"
        )
        let digest = SHA256.hash(data: Array((form["code_verifier"] ?? "").utf8))
        #expect(Base64.url.encode(Array(digest)) == values["code_challenge"])
    }

    @Test func aStrangersRequestsChangeNothing() async throws {
        let giver = try Giver()
        let answers = try await signIn(giver.endpoint()) { redirect, state in
            let root = String(redirect.dropLast("/callback".count))
            return [
                "\(redirect)?code=evil&state=wrong", "\(redirect)?code=evil", "\(root)/?code=evil&state=\(state)",
                "\(redirect)?code=evil&code=worse&state=\(state)",
                redirect.replacingOccurrences(of: "127.0.0.1", with: "localhost") + "?code=evil&state=\(state)",
                "\(redirect)?code=good&state=\(state)",
            ]
        }
        #expect(answers == [400, 400, 404, 400, 400, 200])
        #expect(giver.forms.withLock { $0.map { $0["code"] } } == ["good"])
    }

    @Test func tooManyStrangersEndIt() async throws {
        let endpoint = try Giver().endpoint()
        let error = await failure {
            try await signIn(endpoint) { redirect, _ in (0..<20).map { "\(redirect)?code=evil&state=\($0)" } }
        }
        #expect(error == .timedOut)
    }

    @Test func theServersNameIsChecked() async throws {
        let giver = try Giver()
        func error(
            _ more: String,
            _ change: @escaping (inout OAuthServer) -> Void = { _ in }
        ) async throws -> TokenError? {
            let endpoint = try giver.endpoint(change)
            return await failure { try await signIn(endpoint) { ["\($0)?code=c&state=\($1)" + more] } }
        }
        #expect(try await error("") == nil)
        #expect(try await error("&iss=https%3A%2F%2Fexample.org") == nil)
        #expect(try await error("&iss=https%3A%2F%2Fevil.example") == .forgedRedirect)
        #expect(try await error("") { $0.namesItselfInRedirects = true } == .forgedRedirect)
        #expect(try await error("&iss=https%3A%2F%2Fexample.org") { $0.namesItselfInRedirects = true } == nil)
        #expect(try await error("") { $0.takesS256 = false } == .unsupported)
        #expect(giver.forms.withLock { $0.count } == 3)
    }

    @Test func whatElseMayComeBack() async throws {
        let endpoint = try Giver().endpoint()
        func error(_ more: String) async -> TokenError? {
            await failure { try await signIn(endpoint) { ["\($0)?state=\($1)" + more] } }
        }
        #expect(await error("&error=access_denied") == .refused(.accessDenied))
        #expect(await error("&error=%3Cscript%3E") == .refused(.other("")))
        #expect(await error("") == .forgedRedirect)
        #expect(await error("&code=") == .forgedRedirect)
        #expect(await failure { try await signIn(endpoint, within: .milliseconds(100)) { _, _ in [] } } == .timedOut)
        let task = Task { try await signIn(endpoint) { _, _ in [] } }
        try await Task.sleep(for: .milliseconds(100))
        task.cancel()
        #expect(await failure { try await task.value } == .cancelled)
    }

    @Test func theBrowserGetsTheAddressAsOneArgument() async throws {
        let folder = try TemporaryFolder()
        let script = "#!/bin/sh\nprintf '%s\\n' \"$#\" \"$@\" >'\(folder.file("said"))'\n"
        try script.write(toFile: folder.file("xdg-open"), atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder.file("xdg-open"))
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        unsafe setenv("PATH", folder.path + ":" + path, 1)
        defer { unsafe setenv("PATH", path, 1) }
        let address = "https://example.org/?a=$(id)&b=';reboot;'&c=`id`"
        // The characters that mean something to a shell are in no address as it is read here, or mean nothing.
        #expect(ServerURL(address) == nil)
        let url = try #require(ServerURL("https://example.org/?a=$(id)&b=';reboot;'"))
        try SystemBrowser.open(url)
        let said = folder.file("said")
        #expect(await eventually { (try? String(contentsOfFile: said, encoding: .utf8)) == "1\n\(url)\n" })
        unsafe setenv("PATH", "relative:", 1)
        #expect(throws: TokenError.noBrowser) { try SystemBrowser.open(url) }
    }
}

@Suite("RFC 8628: device code")
struct DeviceGrantTests {
    private func device(_ more: String = "", interval: String = "5", lifetime: String = "60") -> String {
        #"{"device_code":"d","user_code":"AB-CD","verification_uri":"https://example.org/d","#
            + #""expires_in":\#(lifetime),"interval":\#(interval)\#(more)}"#
    }

    private func read(_ text: String) throws -> DeviceAuthorization {
        try reading(text) { (bytes) throws(AnswerDefect) in try DeviceAuthorization(json: bytes) }
    }

    /// Asks a server that gives these answers; how long it was waited before each.
    private func pauses(_ answers: [[UInt8]], lifetime: Int = 60) async throws -> ([Int64], TokenError?) {
        let clock = TestClock()
        let rest = Lock((answers, [Int64]()))
        let start = clock.clock.sinceBoot()
        let last = Lock(start)
        let server = try GateServer { request in
            guard request.target == "/token" else {
                return [
                    .send(
                        GateServer.answer(
                            200,
                            #"{"device_code":"d","user_code":"A","verification_uri":"#
                                + #""https://example.org/d","expires_in":\#(lifetime)}"#
                        )
                    )
                ]
            }
            let now = clock.clock.sinceBoot()
            return rest.withLock { state in
                state.1.append((now - last.withLock { $0 }) / 1000)
                last.withLock { $0 = now }
                let answer = state.0.isEmpty ? [] : state.0.removeFirst()
                return answer.isEmpty ? [] : [.send(answer)]
            }
        }
        var described = OAuthServer(token: try #require(ServerURL(server.url("/token"))))
        described.deviceAuthorization = ServerURL(server.url("/device"))
        let endpoint = TokenEndpoint(described, OAuthClient(id: "tv"), clock: clock.clock)
        let device = try await endpoint.beginDeviceSignIn()
        let error = await failure { try await endpoint.finishDeviceSignIn(device) }
        return (rest.withLock { $0.1 }, error)
    }

    private static func error(_ code: String) -> [UInt8] { GateServer.answer(400, #"{"error":"\#(code)"}"#) }
    private static let tokens = GateServer.answer(200, #"{"access_token":"a","token_type":"Bearer"}"#)

    @Test func theIntervalIsKept() async throws {
        let (pauses, error) = try await pauses(
            [
                Self.error("authorization_pending"), Self.error("slow_down"), Self.error("authorization_pending"), [],
                Self.tokens,
            ],
            lifetime: 600
        )
        #expect(error == nil)
        #expect(pauses == [5, 5, 10, 10, 20])
    }

    @Test func itEnds() async throws {
        let pending = [[UInt8]](repeating: Self.error("authorization_pending"), count: 100)
        let (asked, error) = try await pauses(pending, lifetime: 60)
        #expect(error == .timedOut && asked.count == 11)
        #expect(try await pauses([Self.error("expired_token")]).1 == .timedOut)
        #expect(try await pauses([Self.error("access_denied")]).1 == .refused(.accessDenied))
        #expect(try await pauses([GateServer.answer(200, "<html>")]).1 == .malformed(.notJSON(.malformed(at: 0))))
    }

    @Test func fieldsAreChecked() throws {
        #expect(try read(device()).interval == 5)
        #expect(try read(device(interval: "0")).interval == 1)
        #expect(try read(device(interval: "-9")).interval == 1)
        #expect(try read(device(interval: "1e9")).interval == 300)
        #expect(try read(device(interval: "null")).interval == 5)
        for text in [
            device(lifetime: "0"), device(lifetime: "null"), device(interval: "\"x\""), "{}",
            device().replacingOccurrences(of: "AB-CD", with: "\\u001b[2J"),
            device().replacingOccurrences(of: "https://", with: "http://"),
            device().replacingOccurrences(of: "\"d\"", with: "\"\""),
        ] {
            #expect(throws: AnswerDefect.self) { try read(text) }
        }
        #expect(
            try read(device().replacingOccurrences(of: "verification_uri", with: "verification_url")).lifetime == 60
        )
        let text = device()
        for count in 0..<text.utf8.count { #expect(throws: AnswerDefect.self) { try read(String(text.prefix(count))) } }
    }
}
