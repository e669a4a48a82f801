import Foundation
import MildamKeychain
import MildamSystem
import MildamTokens
import TestSupport
import Testing

@Suite("Requests with a token")
struct AuthorizedTests {
    private func request(_ desk: Desk) throws -> OutgoingRequest {
        OutgoingRequest("GET", try #require(ServerURL(desk.server.resourceURL)))
    }

    @Test func theTokenGoesWithIt() async throws {
        let desk = try await Desk()
        let manager = try await desk.signedIn()
        #expect(try await manager.authorized(request(desk)).status == 200)
        #expect(desk.server.refreshes == 0)
    }

    @Test("a hundred requests that are refused cause one refresh, and each is sent once more")
    func refusedOnce() async throws {
        let desk = try await Desk()
        let manager = try await desk.signedIn()
        desk.server.state.withLock { $0.access = [:] }
        let request = try request(desk)
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<100 { group.addTask { try await manager.authorized(request).status } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses == [Int](repeating: 200, count: 100))
        #expect(desk.server.refreshes == 1)
        // The sign-in, one refresh, and at most two requests each.
        #expect(desk.server.state.withLock(\.requests) <= 202)
    }

    @Test func aServerThatRefusesEverythingIsNotStormed() async throws {
        let desk = try await Desk()
        let manager = try await desk.signedIn()
        desk.server.state.withLock { $0.refusesAll = true }
        #expect(try await manager.authorized(request(desk)).status == 401)
        #expect(desk.server.refreshes == 1)
        for _ in 0..<20 { _ = try? await manager.authorized(request(desk)) }
        #expect(desk.server.refreshes <= 5)
    }

    @Test func aTokenThatAnotherProcessHasRefreshedIsTaken() async throws {
        let desk = try await Desk()
        let manager = try await desk.signedIn()
        let old = try await manager.validAccessToken()
        let other = desk.manager()
        _ = try await other.accessToken(after: old.number)
        desk.server.state.withLock { state in state.access[old.token.text ?? ""] = nil }
        #expect(try await manager.authorized(request(desk)).status == 200)
        #expect(desk.server.refreshes == 1)
    }

    /// What proofs are made for here says so; the proof itself is another library's.
    private final class Maker: ProofMaker {
        let asked = Lock<[String]>([])

        func proof(method: String, url: String, accessToken: String?, nonce: String?) async throws -> String {
            let text = "\(method) \(url.split(separator: "/").last ?? "") \(accessToken ?? "-") \(nonce ?? "-")"
            asked.withLock { $0.append(text) }
            return text.replacingOccurrences(of: " ", with: ".")
        }
    }

    private struct NoMaker: ProofMaker {
        func proof(method: String, url: String, accessToken: String?, nonce: String?) async throws -> String {
            throw CancellationError()
        }
    }

    @Test("RFC 9449: proofs, and the nonces of two servers")
    func dpop() async throws {
        let desk = try await Desk()
        let tokens = try GateServer { request in
            guard (request.fields["dpop"] ?? "").hasSuffix("as-nonce") else {
                return [
                    .send(GateServer.answer(400, #"{"error":"use_dpop_nonce"}"#, fields: ["DPoP-Nonce: as-nonce"]))
                ]
            }
            return [.send(GateServer.answer(200, #"{"access_token":"at","token_type":"DPoP","expires_in":300}"#))]
        }
        let resource = try GateServer { request in
            guard request.fields["authorization"] == "DPoP at", (request.fields["dpop"] ?? "").hasSuffix("rs-nonce")
            else {
                let fields = [#"WWW-Authenticate: DPoP error="use_dpop_nonce""#, "DPoP-Nonce: rs-nonce"]
                return [.send(GateServer.answer(401, "", fields: fields))]
            }
            return [.send(GateServer.answer(200, "", fields: ["DPoP-Nonce: rs-nonce"]))]
        }
        let maker = Maker()
        var options = SecureTokenManager.Options()
        options.renewal = .clientCredentials(scope: nil)
        let server = OAuthServer(token: try #require(ServerURL(tokens.url("/token"))))
        let manager = SecureTokenManager(
            TokenEndpoint(server, OAuthClient(id: "c"), proofs: maker),
            in: desk.place(),
            lock: desk.folder.file("lock"),
            options: options
        )
        let url = try #require(ServerURL(resource.url("/thing?x=1")))
        #expect(try await manager.authorized(OutgoingRequest("PUT", url)).status == 200)
        #expect(try await manager.authorized(OutgoingRequest("GET", url)).status == 200)
        #expect(
            maker.asked.withLock { $0 } == [
                "POST token - -", "POST token - as-nonce", "PUT thing at -", "PUT thing at rs-nonce",
                "GET thing at rs-nonce",
            ]
        )
    }

    @Test func aTokenThatIsNotBoundAsAskedIsRefused() async throws {
        let desk = try await Desk()
        let bound = desk.endpoint(proofs: Maker())
        #expect(
            await failure { try await bound.tokens(by: .clientCredentials(scope: nil)) } == .malformed(.notBound)
        )
        let unable = desk.endpoint(proofs: NoMaker())
        #expect(await failure { try await unable.tokens(by: .clientCredentials(scope: nil)) } == .noProof)
        #expect(desk.server.state.withLock(\.requests) == 1)
    }

    @Test func aServerThatAlwaysWantsAnotherNonceIsAskedTwice() async throws {
        let count = Lock(0)
        let server = try GateServer { _ in
            let number = count.withLock {
                $0 += 1
                return $0
            }
            return [.send(GateServer.answer(400, #"{"error":"use_dpop_nonce"}"#, fields: ["DPoP-Nonce: \(number)"]))]
        }
        let endpoint = TokenEndpoint(
            OAuthServer(token: try #require(ServerURL(server.url("/token")))),
            OAuthClient(id: "c"),
            proofs: Maker()
        )
        #expect(
            await failure { try await endpoint.tokens(by: .clientCredentials(scope: nil)) } == .refused(.useDPoPNonce)
        )
        #expect(count.withLock { $0 } == 2)
    }

    @Test func anExtensionGrantSaysWhatItIsGiven() async throws {
        let seen = Lock<[String: String]>([:])
        let server = try GateServer { request in
            seen.withLock { $0 = request.form }
            return [.send(GateServer.answer(200, #"{"access_token":"a","token_type":"Bearer"}"#))]
        }
        let endpoint = TokenEndpoint(
            OAuthServer(token: try #require(ServerURL(server.url("/token")))),
            OAuthClient(id: "c")
        )
        let grant = ExtensionGrant(
            "urn:mildam:params:oauth:grant-type:login",
            [("handle", SecretValue(text: "alice@example")), ("proof", SecretValue(text: "a+b/c=&d"))],
            clientAssertion: .init(type: "urn:x", value: SecretValue(text: "j.w.t"))
        )
        _ = try await endpoint.tokens(by: .other(grant))
        #expect(
            seen.withLock { $0 } == [
                "grant_type": "urn:mildam:params:oauth:grant-type:login", "handle": "alice@example",
                "proof": "a+b/c=&d", "client_assertion_type": "urn:x", "client_assertion": "j.w.t", "client_id": "c",
            ]
        )
    }
}

@Suite("RFC 8414: asking for metadata")
struct DiscoveryTests {
    @Test func whereItIsLookedFor() async throws {
        let seen = Lock<[String]>([])
        let root = Lock("")
        let server = try GateServer { request in
            seen.withLock { $0.append(request.target) }
            let issuer = root.withLock { $0 } + "/tenant"
            let document = #"{"issuer":"\#(issuer)","token_endpoint":"\#(issuer)/token"}"#
            switch request.target {
            case "/tenant/.well-known/openid-configuration": return [.send(GateServer.answer(200, document))]
            default: return [.send(GateServer.answer(404, "no"))]
            }
        }
        root.withLock { $0 = server.url("") }
        let issuer = try #require(ServerURL(server.url("/tenant")))
        let found = try await OAuthServer.discover(issuer, through: CurlExchange())
        #expect(found.token.description == server.url("/tenant/token"))
        #expect(
            seen.withLock { $0 } == [
                "/.well-known/oauth-authorization-server/tenant", "/tenant/.well-known/openid-configuration",
            ]
        )
        let other = try #require(ServerURL(server.url("/other")))
        #expect(
            await failure { try await OAuthServer.discover(other, through: CurlExchange()) } == .failed(status: 404)
        )
    }

    @Test func whatBreaksOffOrNamesAnotherIsRefused() async throws {
        let server = try GateServer { request in
            switch request.target.hasSuffix("/a") {
            case true:
                [.send(GateServer.answer(200, #"{"issuer":"https://evil.example","token_endpoint":"https://e.e/"}"#))]
            case false: [.send(GateServer.answer(500, ""))]
            }
        }
        let issuer = try #require(ServerURL(server.url("/a")))
        #expect(
            await failure { try await OAuthServer.discover(issuer, through: CurlExchange()) }
                == .malformed(.invalid(field: "issuer"))
        )
        let broken = try #require(ServerURL(server.url("/b")))
        #expect(
            await failure { try await OAuthServer.discover(broken, through: CurlExchange()) } == .failed(status: 500)
        )
    }
}
