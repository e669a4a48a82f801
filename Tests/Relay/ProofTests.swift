import Foundation
import MildamCrypto
import MildamIdentity
import MildamJOSE
import MildamRelayAPI
import MildamTransport
import MildamWire
import Testing

@testable import MildamRelay

@Suite("RFC 9449 at the relay: sessions that are bound to a key")
struct ProofTests {
    private let key = Prover()

    private func field(_ proof: String) -> HTTPFields { ["DPoP": proof] }

    /// Somebody whose first session is bound to the key.
    private func bound(_ relay: TestRelay) async throws -> Person {
        let request = try Person.registration("alice", relay: relay.server.relay)
            .signed(for: relay.server.relay, boundTo: key)
        let body = [UInt8](try JSONEncoder().encode(request.body))
        let proof = try key.proof("POST", relay.server.url + "/v1/accounts")
        let answer = try await relay.ask(.post, "/v1/accounts", fields: field(proof), body: body)
        let tokens: SessionTokens = try answer.value()
        #expect(tokens.type == "DPoP")
        return Person(request, tokens: tokens, relay: relay)
    }

    private func token(_ request: TokenRequest, _ relay: TestRelay, _ key: Prover) async throws -> HTTPResponse {
        try await relay.ask(request, fields: field(try key.proof("POST", relay.server.url + "/v1/token")))
    }

    /// Asks for the rooms.
    private func rooms(
        _ relay: TestRelay,
        _ token: String,
        scheme: String = "DPoP",
        _ proof: String?
    ) async throws -> HTTPResponse {
        var fields: HTTPFields = ["Authorization": "\(scheme) \(token)"]
        if let proof { fields.append("DPoP", proof) }
        return try await relay.ask(.get, "/v1/rooms", fields: fields)
    }

    @Test("each request shows the key; the token alone is worth nothing")
    func requests() async throws {
        let relay = try TestRelay()
        let alice = try await bound(relay)
        let (url, token) = (relay.server.url + "/v1/rooms", alice.token)
        for scheme in ["DPoP", "dpop"] {
            #expect(try await rooms(relay, token, scheme: scheme, key.proof("GET", url, token: token)).status == 200)
        }
        #expect(try await rooms(relay, token, key.proof("GET", url + "?a=1#b", token: token)).status == 200)
        #expect(try await rooms(relay, token, scheme: "Bearer", nil).apiError?.code == .unauthorized)
        let shown = try key.proof("GET", url, token: token)
        #expect(try await rooms(relay, token, scheme: "Bearer", shown).apiError?.code == .unauthorized)
        let bad = [
            nil, try Prover().proof("GET", url, token: token), try key.proof("POST", url, token: token),
            try key.proof("GET", url + "/", token: token), try key.proof("GET", url),
            try key.proof("GET", url, token: token + "x"), "nonsense",
            try key.proof("GET", "https://relay.example/v1/rooms", token: token),
        ]
        for proof in bad {
            let answer = try await rooms(relay, token, proof)
            #expect(answer.apiError?.code == .invalidProof && answer.status == 401, "\(proof ?? "none")")
            #expect(answer.fields["WWW-Authenticate"] == #"DPoP error="invalid_dpop_proof", algs="ES256""#)
        }
        var twice: HTTPFields = ["Authorization": "DPoP \(token)"]
        for _ in 0..<2 { twice.append("DPoP", try key.proof("GET", url, token: token)) }
        #expect(try await relay.ask(.get, "/v1/rooms", fields: twice).apiError?.code == .invalidProof)
        await relay.server.stop()
    }

    @Test("a proof is taken once")
    func once() async throws {
        let relay = try TestRelay()
        let alice = try await bound(relay)
        let proof = try key.proof("GET", relay.server.url + "/v1/rooms", token: alice.token)
        #expect(try await rooms(relay, alice.token, proof).status == 200)
        for _ in 0..<2 { #expect(try await rooms(relay, alice.token, proof).apiError?.code == .invalidProof) }
        await relay.server.stop()
    }

    @Test("a body that is asked for in two steps takes one proof, and it is looked at")
    func bodies() async throws {
        let relay = try TestRelay()
        let alice = try await bound(relay)
        func send(_ method: HTTPMethod, _ path: String, _ body: [UInt8], _ key: Prover) async throws -> HTTPResponse {
            let proof = try key.proof(method.rawValue, relay.server.url + path, token: alice.token)
            return try await relay.ask(
                method,
                path,
                fields: ["Authorization": "DPoP \(alice.token)", "DPoP": proof],
                body: body
            )
        }
        let room = try LoneRoom(of: alice)
        let place = Routes.createGroup.at(room.id).path
        #expect(try await send(.put, place, room.creation.wireBytes, key).status == 201)
        let long = room.saying([UInt8](repeating: 0, count: 200_000)).wireBytes
        let messages = Routes.sendToGroup.at(room.id).path
        #expect(try await send(.post, messages, long, Prover()).apiError?.code == .invalidProof)
        #expect(try await send(.post, messages, long, key).status == 201)
        await relay.server.stop()
    }

    @Test("a clock that is wrong is mended by a nonce, and a nonce is good for a minute")
    func nonces() async throws {
        let relay = try TestRelay()
        let alice = try await bound(relay)
        let (url, token) = (relay.server.url + "/v1/rooms", alice.token)
        let late = try await rooms(relay, token, key.proof("GET", url, token: token, at: relay.now - 3600))
        #expect(late.status == 401 && late.apiError?.code == .nonceNeeded)
        #expect(late.fields["WWW-Authenticate"] == #"DPoP error="use_dpop_nonce", algs="ES256""#)
        let nonce = try #require(late.fields["DPoP-Nonce"])
        func proof(_ nonce: String) throws -> String {
            try key.proof("GET", url, token: token, nonce: nonce, at: relay.now - 3600)
        }
        #expect(try await rooms(relay, token, proof(nonce)).status == 200)
        #expect(try await rooms(relay, token, proof(nonce + "A")).apiError?.code == .nonceNeeded)
        relay.advance(seconds: 61)
        #expect(try await rooms(relay, token, proof(nonce)).apiError?.code == .nonceNeeded)
        // The token endpoint, too.
        let request = alice.refreshRequest(alice.tokens.refresh, boundTo: key)
        let url2 = relay.server.url + "/v1/token"
        let early = try await relay.ask(request, fields: field(try key.proof("POST", url2, at: relay.now + 3600)))
        #expect(early.status == 400 && early.apiError?.code == .nonceNeeded)
        #expect(try early.value(TokenError.self).error == "use_dpop_nonce")
        let next = try #require(early.fields["DPoP-Nonce"])
        let again = try key.proof("POST", url2, nonce: next, at: relay.now + 3600)
        #expect(try await relay.ask(request, fields: field(again)).status == 200)
        await relay.server.stop()
    }

    @Test("a session's refresh shows the same key; whoever has the token and another key, or none, does nothing to it")
    func refresh() async throws {
        let relay = try TestRelay()
        let alice = try await bound(relay)
        let before = try relay.dump()
        let other = Prover()
        let stolen = alice.refreshRequest(alice.tokens.refresh, boundTo: other)
        #expect(try await token(stolen, relay, other).apiError?.code == .invalidProof)
        let bare = alice.refreshRequest(alice.tokens.refresh)
        #expect(try await relay.ask(bare).apiError?.code == .invalidProof)
        // The device has signed for the key that it shows, and for no other.
        let mixed = alice.refreshRequest(alice.tokens.refresh, boundTo: other)
        #expect(try await token(mixed, relay, key).apiError?.code == .wrongCredentials)
        #expect(try relay.dump() == before)
        let right = alice.refreshRequest(alice.tokens.refresh, boundTo: key)
        let second: SessionTokens = try await token(right, relay, key).value()
        #expect(second.type == "DPoP" && second.refresh != alice.tokens.refresh)
        let repeated: SessionTokens = try await token(right, relay, key).value()
        #expect(repeated.refresh == second.refresh)
        await relay.server.stop()
    }

    @Test("a session from before there were keys is bound to the first that is shown, also where the answer was lost")
    func binding() async throws {
        let relay = try TestRelay()
        let alice = try await Person("alice", on: relay)
        #expect(alice.tokens.type == "Bearer")
        let second: SessionTokens = try await alice.refresh(alice.tokens.refresh).value()
        #expect(second.type == "Bearer" && second.refresh != alice.tokens.refresh)
        // The answer to this was lost; the next one shows a key for the first time.
        let binding = alice.refreshRequest(alice.tokens.refresh, boundTo: key)
        let bound: SessionTokens = try await token(binding, relay, key).value()
        #expect(bound.type == "DPoP" && bound.refresh == second.refresh)
        let bare = alice.refreshRequest(second.refresh)
        #expect(try await relay.ask(bare).apiError?.code == .invalidProof)
        let next = alice.refreshRequest(second.refresh, boundTo: key)
        #expect(try await token(next, relay, key).status == 200)
        await relay.server.stop()
    }

    @Test("a login binds its session to the key that it shows")
    func login() async throws {
        let relay = try TestRelay()
        let alice = try await Person("alice", on: relay)
        let tokens: SessionTokens = try await token(alice.loginRequest(boundTo: key), relay, key).value()
        #expect(tokens.type == "DPoP")
        // For another key than the one that the device signed for, there is no session.
        let mixed = try await token(alice.loginRequest(boundTo: key), relay, Prover())
        #expect(mixed.apiError?.code == .wrongCredentials && mixed.status == 400)
        await relay.server.stop()
    }

    @Test("a relay that was told its address takes proofs for that one alone")
    func address() async throws {
        let relay = try TestRelay { $0.publicURLs = ["https://chat.example.org", "https://other.example:8443"] }
        let alice = try await Person("alice", on: relay)
        func status(_ url: String) async throws -> Int {
            let proof = try key.proof("POST", url + "/v1/token")
            return try await relay.ask(alice.loginRequest(boundTo: key), fields: field(proof)).status
        }
        #expect(try await status("https://chat.example.org") == 200)
        #expect(try await status("https://OTHER.example:8443") == 200)
        for url in [
            "http://chat.example.org", "https://chat.example.org:8443", relay.server.url, "https://evil.example",
        ] {
            #expect(try await status(url) == 400, "\(url)")
        }
        let metadata: ServerMetadata = try await relay.ask(.get, Routes.metadata.path).value()
        #expect(metadata == ServerMetadata(issuer: "https://chat.example.org"))
        await relay.server.stop()
    }

    @Test("RFC 8414 and 7009: what the relay says of itself, and giving a token back")
    func revocation() async throws {
        let relay = try TestRelay()
        let alice = try await bound(relay)
        let metadata: ServerMetadata = try await relay.ask(.get, Routes.metadata.path).value()
        #expect(metadata.issuer == relay.server.url && metadata.tokenEndpoint == relay.server.url + "/v1/token")
        func revoke(_ form: String, type: String = "application/x-www-form-urlencoded") async throws -> HTTPResponse {
            try await relay.ask(.post, Routes.revocation.path, fields: ["Content-Type": type], body: Array(form.utf8))
        }
        let text = RefreshToken(session: alice.tokens.session, secret: [UInt8](alice.tokens.refresh)).text
        let wrong = RefreshToken(session: alice.tokens.session, secret: [UInt8](repeating: 0, count: 32)).text
        for token in [wrong, alice.token, "x"] { #expect(try await revoke("token=\(token)").status == 200) }
        #expect(try await revoke("token=").status == 400)
        #expect(try await revoke("token=\(text)", type: "text/plain").status == 400)
        let url = relay.server.url + "/v1/rooms"
        func ask() async throws -> Int {
            try await rooms(relay, alice.token, key.proof("GET", url, token: alice.token)).status
        }
        #expect(try await ask() == 200)
        for _ in 0..<2 { #expect(try await revoke("token=\(text)&token_type_hint=refresh_token").status == 200) }
        #expect(try await ask() == 401)
        let request = alice.refreshRequest(alice.tokens.refresh, boundTo: key)
        #expect(try await token(request, relay, key).apiError?.code == .sessionEnded)
        await relay.server.stop()
    }

    @Test("a form that is none, and ways that the relay does not know")
    func forms() async throws {
        let relay = try TestRelay()
        func ask(_ body: String, type: String? = "application/x-www-form-urlencoded") async throws -> HTTPResponse {
            var fields = HTTPFields()
            if let type { fields.append("Content-Type", type) }
            return try await relay.ask(.post, Routes.token.path, fields: fields, body: Array(body.utf8))
        }
        let unknown = try await ask("grant_type=password&username=alice&password=x")
        #expect(unknown.status == 400 && unknown.fields["Cache-Control"] == "no-store")
        #expect(try unknown.value(TokenError.self).error == "unsupported_grant_type")
        for body in ["", "{}", "grant_type", "grant_type=refresh_token&grant_type=refresh_token"] {
            let answer = try await ask(body)
            #expect(answer.status == 400, "\(body)")
            #expect(try answer.value(TokenError.self).error == "invalid_request", "\(body)")
        }
        for type in ["application/json", nil] {
            let answer = try await ask("grant_type=refresh_token", type: type)
            #expect(answer.status == 400)
            // As OAuth has it (RFC 6749, section 5.2), like all that this endpoint refuses by itself.
            #expect(try answer.value(TokenError.self).error == "invalid_request")
        }
        #expect(try await ask("grant_type=refresh_token&a=" + String(repeating: "x", count: 20_000)).status == 413)
        await relay.server.stop()
    }

    @Test("more proofs than can be remembered are held off, for two minutes")
    func tooMany() throws {
        var memory = ProofMemory(capacity: 1)
        let (first, second) = (try key.proof("GET", "http://localhost/"), try key.proof("GET", "http://localhost/"))
        try memory.take(DPoPProof(verifying: Array(first.utf8).span), at: 0)
        #expect(throws: DPoPError.tooMany) { try memory.take(DPoPProof(verifying: Array(second.utf8).span), at: 0) }
    }

    @Test("a socket takes a proof when it opens, and another one with each renewal")
    func socket() async throws {
        let relay = try TestRelay()
        let alice = try await bound(relay)
        let endpoint = Endpoint(relay.server.address)
        let target = try #require(HTTPTarget(Routes.socket.path))
        func open(_ proof: String?) async throws -> WebSocketConnection {
            var fields: HTTPFields = ["Authorization": "DPoP \(alice.token)"]
            if let proof { fields.append("DPoP", proof) }
            return try await WebSocketClient.connect(endpoint, target, fields: fields)
        }
        let url = relay.server.url + Routes.socket.path
        let proof = try key.proof("GET", url, token: alice.token)
        let socket = try await open(proof)
        await #expect(throws: TransportError.self) { _ = try await open(proof) }
        await #expect(throws: TransportError.self) { _ = try await open(nil) }
        relay.advance(seconds: 10)
        let request = alice.refreshRequest(alice.tokens.refresh, boundTo: key)
        let proofOfRefresh = try key.proof("POST", relay.server.url + "/v1/token", at: relay.now)
        let fresh: SessionTokens = try await relay.ask(request, fields: field(proofOfRefresh)).value()
        var messages = socket.messages.makeAsyncIterator()
        guard case .text? = await messages.next() else { throw CancellationError() }
        func renew(_ proof: String?) async throws -> LiveEvent {
            let renewal = try JSONEncoder().encode(LiveRequest.renew(access: fresh.access, proof: proof))
            try await socket.send(text: String(decoding: renewal, as: UTF8.self))
            guard case .text(let text)? = await messages.next() else { throw CancellationError() }
            return try JSONDecoder().decode(LiveEvent.self, from: Data(text.utf8))
        }
        func proven(_ key: Prover, _ url: String, _ token: String, method: String = "GET") throws -> String {
            try key.proof(method, url, token: token, at: relay.now)
        }
        // The fresh token alone lengthens nothing: neither without a proof, nor with one of another key, for something
        // else, for the token before, or of another time.
        let rooms = relay.server.url + "/v1/rooms"
        let late = try key.proof("GET", url, token: fresh.access, at: relay.now - 3600)
        for (proof, code) in [
            (nil, .invalidProof), ("nonsense", .invalidProof), (late, .nonceNeeded),
            (try proven(Prover(), url, fresh.access), .invalidProof),
            (try proven(key, url, fresh.access, method: "POST"), .invalidProof),
            (try proven(key, rooms, fresh.access), .invalidProof),
            (try proven(key, url, alice.token), .invalidProof),
        ] as [(String?, APIErrorCode)] {
            guard case .refused(let error) = try await renew(proof) else {
                Issue.record("renewed by \(proof ?? "nothing")")
                continue
            }
            #expect(error.code == code, "\(proof ?? "none")")
        }
        // A proof that would open a socket is taken, once.
        let right = try proven(key, url, fresh.access)
        #expect(try await renew(right) == .renewed(until: relay.now + AccessToken.lifetime))
        guard case .refused(let error) = try await renew(right) else { throw CancellationError() }
        #expect(error.code == .invalidProof)
        await relay.server.stop()
    }
}
