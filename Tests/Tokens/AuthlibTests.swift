import Foundation
import MildamCrypto
import MildamKeychain
import MildamSystem
import MildamTokens
import MildamWire
import TestSupport
import Testing

@Suite("An OAuth server that nobody here wrote", .enabled(if: OAuthPeer.isExpected))
struct AuthlibTests {
    private func signIn(
        _ endpoint: TokenEndpoint,
        more: String = ""
    ) async throws -> GrantedTokens {
        try await endpoint.signInThroughBrowser(scope: "read", within: .seconds(20)) { url in
            // The browser is a program of its own: it must not wait for who waits for it.
            Task.detached { _ = try? await OAuthPeer.browse(url.description + more) }
        }
    }

    private func status(_ server: OAuthPeer, _ manager: SecureTokenManager) async throws -> Int {
        let url = try #require(ServerURL(server.root + "/resource"))
        return try await manager.authorized(OutgoingRequest("GET", url)).status
    }

    @Test func discoveryLoginRefreshRotationRevocation() async throws {
        let desk = try await Desk()
        let peer = try await OAuthPeer()
        let server = try await peer.discover()
        #expect(server.issuer == peer.root && server.takesS256 == true)
        let endpoint = TokenEndpoint(server, OAuthClient(id: "public"))
        let manager = SecureTokenManager(endpoint, in: desk.place(), lock: desk.folder.file("lock"))
        try await manager.signIn(with: signIn(endpoint))
        let first = try #require(try await manager.status())
        #expect(first.scope == "read" && first.scheme == .bearer)
        #expect(try await status(peer, manager) == 200)
        // Its tokens live for two seconds: rotation, three times.
        var number = try await manager.validAccessToken().number
        for _ in 0..<3 {
            try await Task.sleep(for: .milliseconds(2100))
            #expect(try await status(peer, manager) == 200)
            let next = try await manager.validAccessToken().number
            #expect(next > number)
            number = next
        }
        let last = try #require(try await manager.status()?.refreshToken)
        let old = try #require(first.refreshToken)
        #expect(!last.constantTimeEquals(old))
        // A used one is refused.
        #expect(await failure({ try await endpoint.tokens(by: .refreshToken(old)) }) == .refused(.invalidGrant))
        #expect(try await manager.signOut())
        #expect(await failure({ try await endpoint.tokens(by: .refreshToken(last)) }) == .refused(.invalidGrant))
        #expect(await failure({ try await manager.validAccessToken() }) == .signInNeeded)
    }

    @Test func theServersRefusalEndsTheSignIn() async throws {
        let desk = try await Desk()
        let peer = try await OAuthPeer()
        let endpoint = TokenEndpoint(try await peer.discover(), OAuthClient(id: "public"))
        let manager = SecureTokenManager(endpoint, in: desk.place(), lock: desk.folder.file("lock"))
        try await manager.signIn(with: signIn(endpoint))
        let token = try #require(try await manager.status()?.refreshToken)
        try await endpoint.revoke(token)
        // The access token at hand goes with it: 401, a refresh, and no more.
        #expect(await failure({ try await status(peer, manager) }) == .signInNeeded)
    }

    @Test func aPersonWhoSaysNo() async throws {
        let peer = try await OAuthPeer()
        let endpoint = TokenEndpoint(try await peer.discover(), OAuthClient(id: "public"))
        #expect(await failure({ try await signIn(endpoint, more: "&deny=1") }) == .refused(.accessDenied))
    }

    @Test func aCodeIsOfUseWithItsVerifierAlone() async throws {
        let peer = try await OAuthPeer()
        let endpoint = TokenEndpoint(try await peer.discover(), OAuthClient(id: "public"))
        let pkce = PKCE()
        let redirect = "http://127.0.0.1:9/callback"
        let query =
            "response_type=code&client_id=public&redirect_uri=http%3A%2F%2F127.0.0.1%3A9%2Fcallback&state=s"
            + "&code_challenge=\(pkce.challenge)&code_challenge_method=S256"
        func code() async throws -> SecretValue {
            let head = try await Program.result(of: "curl", ["-s", "-i", peer.root + "/authorize?" + query]).output
            let place = try #require(head.range(of: "code="))
            return SecretValue(text: String(head[place.upperBound...].prefix { $0 != "&" }))
        }
        let stolen = try await code()
        #expect(
            await failure {
                try await endpoint.tokens(
                    by: .authorizationCode(stolen, redirect: redirect, verifier: PKCE().verifier)
                )
            } == .refused(.invalidGrant)
        )
        let granted = try await endpoint.tokens(
            by: .authorizationCode(code(), redirect: redirect, verifier: pkce.verifier)
        )
        #expect(granted.response.lifetime == 2)
    }

    @Test func deviceCode() async throws {
        let peer = try await OAuthPeer()
        let endpoint = TokenEndpoint(try await peer.discover(), OAuthClient(id: "public"))
        let device = try await endpoint.beginDeviceSignIn(scope: "read")
        #expect(device.interval == 1)
        let approval = try #require(device.verificationComplete)
        async let granted = endpoint.finishDeviceSignIn(device)
        try await Task.sleep(for: .milliseconds(1500))
        _ = try await OAuthPeer.browse(approval.description)
        #expect(try await granted.response.refreshToken != nil)
        let refused = try await endpoint.beginDeviceSignIn()
        _ = try await OAuthPeer.browse(try #require(refused.verificationComplete).description + "&deny=1")
        #expect(await failure({ try await endpoint.finishDeviceSignIn(refused) }) == .refused(.accessDenied))
    }

    @Test(
        "the client itself, by either way of showing its secret",
        arguments: [("basic", "a-secret.of_letters~"), ("post", "a secret:+/ä")]
    )
    func clientCredentials(_ id: String, _ secret: String) async throws {
        let peer = try await OAuthPeer()
        func client(_ text: String) -> OAuthClient {
            let secret = SecretValue(text: text)
            return OAuthClient(id: id, authentication: id == "basic" ? .basic(secret) : .post(secret))
        }
        let server = try await peer.discover()
        let granted = try await TokenEndpoint(server, client(secret)).tokens(by: .clientCredentials(scope: "read"))
        #expect(granted.response.refreshToken == nil && granted.response.scope == "read")
        #expect(
            await failure {
                try await TokenEndpoint(server, client("wrong")).tokens(by: .clientCredentials(scope: nil))
            } == .refused(.invalidClient)
        )
        // A hundred at once are one request.
        let desk = try await Desk()
        var options = SecureTokenManager.Options()
        options.renewal = .clientCredentials(scope: "read")
        let manager = SecureTokenManager(
            TokenEndpoint(server, client(secret)),
            in: desk.place(),
            lock: desk.folder.file("lock"),
            options: options
        )
        #expect(try await status(peer, manager) == 200)
        try await Task.sleep(for: .milliseconds(2100))
        #expect(try await status(peer, manager) == 200)
    }
}
