import Foundation
import Glibc
import MildamCrypto
import MildamKeychain
import MildamSystem
import TestSupport
import Testing

@testable import MildamTokens

@Suite("No token, code or secret in what is said")
struct NeedleTests {
    private static let access = "needle-access-token-0123456789"
    private static let refresh = "needle-refresh-token-0123456789"
    private static let secret = "needle-client-secret-0123456789"

    /// Everything that Swift says of a value by itself.
    private func said(_ value: Any) -> String {
        var text = "\(value)" + String(reflecting: value)
        dump(value, to: &text)
        for child in Mirror(reflecting: value).children { text += String(reflecting: child.value) }
        return text
    }

    private func clean(_ value: Any) {
        let text = said(value)
        #expect(!text.contains("needle"), "\(type(of: value)) says \(text)")
    }

    @Test func typesSayNothing() async throws {
        let desk = try await Desk()
        let text = #"{"access_token":"\#(Self.access)","token_type":"Bearer","refresh_token":"\#(Self.refresh)"}"#
        let response = try reading(text) { (bytes) throws(AnswerDefect) in try TokenResponse(json: bytes) }
        clean(response)
        let granted = GrantedTokens(response: response, asked: TimeAnchor(.system), isDated: false)
        clean(granted)
        let record = TokenRecord(response, number: 1, server: "https://e.org/t", asked: granted.asked, before: nil)
        clean(record)
        clean(try #require(record.tokens))
        let credential = AccessCredential(token: response.accessToken, scheme: .bearer, number: 1)
        clean(credential)
        clean(credential.authorization)
        let client = OAuthClient(id: "c", authentication: .basic(SecretValue(text: Self.secret)))
        clean(client)
        clean(try #require(client.field))
        clean(TokenGrant.refreshToken(SecretValue(text: Self.refresh)))
        clean(ExtensionGrant("urn:x", [("a", SecretValue(text: Self.secret))]))
        let url = try #require(ServerURL("https://example.org/"))
        clean(
            OutgoingRequest("POST", url, fields: [.init("A", text: Self.secret)], body: SecretValue(text: Self.refresh))
        )
        clean(IncomingAnswer(status: 200, fields: [], body: SecretValue(text: text)))
        let manager = desk.manager()
        try await manager.signIn(with: granted)
        clean(manager)
        clean(PKCE())
        // What is planted is found.
        #expect(said([Self.access]).contains("needle"))
    }

    @Test("a server that repeats the tokens wherever it can")
    func echoes() async throws {
        let desk = try await Desk()
        let echo = Lock("")
        let server = try GateServer { request in
            let (access, refresh) = (Self.access, Self.refresh)
            let answers = [
                GateServer.answer(400, #"{"error":"invalid_scope","error_description":"\#(refresh)"}"#),
                GateServer.answer(400, #"{"error":"\#(refresh)"}"#),
                GateServer.answer(400, #"{"error":"needle\n"}"#),
                GateServer.answer(500, request.body, fields: ["X-Echo: \(refresh)"]),
                GateServer.answer(200, #"{"access_token":"\#(access)","token_type":"\#(refresh)"}"#),
                GateServer.answer(200, #"{"\#(access)":1,"access_token":["\#(access)"]}"#),
                GateServer.answer(200, #"{"access_token":"\#(access)","token_type":"Bearer","scope":"\#(refresh)é"}"#),
                GateServer.answer(200, access),
            ]
            let number = echo.withLock { Int($0) ?? 0 }
            return [.send(answers[number % answers.count])]
        }
        let url = try #require(ServerURL(server.url("/token")))
        let client = OAuthClient(id: "c", authentication: .post(SecretValue(text: Self.secret)))
        let endpoint = TokenEndpoint(OAuthServer(token: url), client, clock: desk.clock.clock)
        for number in 0..<8 {
            echo.withLock { $0 = "\(number)" }
            let direct = await failure {
                try await endpoint.tokens(by: .refreshToken(SecretValue(text: Self.refresh)))
            }
            clean(try #require(direct))
            let manager = SecureTokenManager(endpoint, in: desk.place(), lock: desk.folder.file("lock"))
            let response = TokenResponse(
                accessToken: SecretValue(text: Self.access),
                scheme: .bearer,
                lifetime: 0,
                refreshToken: SecretValue(text: Self.refresh)
            )
            try await manager.signIn(
                with: GrantedTokens(response: response, asked: TimeAnchor(desk.clock.clock), isDated: true)
            )
            clean(try #require(await failure { try await manager.validAccessToken() }))
            desk.clock.advance(.seconds(60))
        }
    }

    @Test func neitherKeychainFileNorLockFileShowsThem() async throws {
        let desk = try await Desk()
        let manager = try await desk.signedIn()
        var needles: [Data] = []
        for _ in 0..<3 {
            let credential = try await manager.validAccessToken()
            needles.append(Data(credential.token.bytes))
            needles.append(Data(try #require(try await manager.status()?.refreshToken).bytes))
            desk.clock.advance(.seconds(301))
            _ = try await manager.validAccessToken()
        }
        for name in try desk.folder.files() {
            let content = try Data(contentsOf: URL(fileURLWithPath: desk.folder.file(name)))
            for needle in needles { #expect(content.range(of: needle) == nil, "\(name)") }
        }
    }

    @Test("a program that hides its memory leaves no core file, and says nothing as it falls")
    func core() async throws {
        let desk = try await Desk()
        let server = try RotatingServer()
        let pattern = (try? String(contentsOfFile: "/proc/sys/kernel/core_pattern", encoding: .utf8)) ?? "|"
        let line = "open \(server.tokenURL) one \(desk.folder.file("lock"))"
        for hides in [true, false] {
            let folder = try TemporaryFolder()
            let result = try await Program.result(
                of: "sh",
                [
                    "-c", "ulimit -c unlimited; exec \"$@\"", "sh", try Program.find("mildam-tokens-worker"),
                    desk.folder.file("keychain.db"), Desk.passphrase,
                ],
                input: "\(line)\nlogin\nrefresh\n\(hides ? "hide\n" : "")abort\n",
                folder: folder.path
            )
            #expect(result.status == 128 + SIGABRT && result.output.contains("in\nrefreshed"), "\(result)")
            #expect(!result.errors.contains("at-"), "\(result.errors)")
            let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            if hides {
                #expect(files.isEmpty)
            } else if files.isEmpty {
                print("no core file is written here by any program (\(pattern)): that one is missing says nothing")
            }
        }
        withExtendedLifetime(desk) {}
    }
}
