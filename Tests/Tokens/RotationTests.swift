import Foundation
import MildamKeychain
import MildamSystem
import MildamTokens
import TestSupport
import Testing

@Suite("Refreshing through whatever happens on the way")
struct RotationTests {
    private static let html = GateServer.answer(200, "<!doctype html><p>Please accept our terms</p>", type: "text/html")

    @Test(
        "the same token is presented again until an answer comes",
        arguments: [
            [RotatingServer.Fate.lost], [.unanswered], [.cut(0)], [.cut(1)], [.cut(20)], [.cut(150)], [.cut(399)],
            [.doubled], [.unanswered, .unanswered], [.lost, .cut(200)],
            [.replaced(GateServer.answer(500, #"{"error":"invalid_grant"}"#), arrives: true)],
            [.replaced(GateServer.answer(503, ""), arrives: false)],
            [.replaced(GateServer.answer(429, #"{"error":"invalid_grant"}"#), arrives: false)],
            [.replaced(GateServer.answer(400, "<p>proxy"), arrives: true)],
            [.replaced(GateServer.answer(403, ""), arrives: true)],
            [.replaced(GateServer.answer(302, "", fields: ["Location: http://127.0.0.1:1/"]), arrives: true)],
            [.replaced(RotationTests.html, arrives: true)],
            [.replaced(GateServer.answer(400, #"{"error":"temporarily_unavailable"}"#), arrives: true)],
            [.replaced(Array("SSH-2.0-x\r\n".utf8), arrives: true)],
            [.replaced(GateServer.answer(200, #"{"access_token":5}"#), arrives: true)],
        ]
    )
    func lostAnswers(_ fates: [RotatingServer.Fate]) async throws {
        let desk = try await Desk()
        let manager = try await desk.signedIn()
        let first = try await manager.validAccessToken()
        desk.clock.advance(.seconds(301))
        desk.server.set(fates)
        let second = try await manager.validAccessToken()
        #expect(second.number == first.number + 1)
        desk.clock.advance(.seconds(301))
        #expect(try await manager.validAccessToken().number == second.number + 1)
        #expect(desk.server.violations == 0)
    }

    @Test func everyByteOfAnAnswerMayBeTheLast() async throws {
        let desk = try await Desk()
        let manager = try await desk.signedIn()
        desk.clock.advance(.seconds(301))
        _ = try await manager.validAccessToken()
        let size = desk.server.state.withLock(\.answerSize)
        let step = Count.of(few: 9, full: 1)
        for count in stride(from: 0, to: size, by: step) {
            let before = try await manager.validAccessToken()
            desk.clock.advance(.seconds(301))
            desk.server.set([.cut(count)])
            #expect(try await manager.validAccessToken().number == before.number + 1, "cut after \(count) bytes")
        }
        #expect(desk.server.violations == 0)
    }

    @Test func aLostAnswerAndEightHoursOfSleep() async throws {
        let desk = try await Desk()
        let first: AccessCredential
        do {
            let manager = try await desk.signedIn()
            first = try await manager.validAccessToken()
            desk.clock.advance(.seconds(301))
            desk.server.set([.unanswered, .unanswered, .unanswered])
            #expect(await failure({ try await manager.validAccessToken() }) == .notNow(.exchange(.cut)))
        }
        desk.clock.advance(.seconds(8 * 3600))
        #expect(try await desk.manager().validAccessToken().number == first.number + 1)
        #expect(desk.server.violations == 0)
    }

    @Test func whileTheServerIsAwayTheOldTokenServes() async throws {
        let desk = try await Desk()
        let manager = try await desk.signedIn()
        let first = try await manager.validAccessToken()
        desk.server.set([RotatingServer.Fate](repeating: .lost, count: 100))
        desk.clock.advance(.seconds(272))
        #expect(try await manager.validAccessToken().number == first.number)
        desk.clock.advance(.seconds(40))
        guard case .notNow? = await failure({ try await manager.validAccessToken() }) else {
            Issue.record("a dead token was handed out, or somebody signed out")
            return
        }
        desk.server.set([])
        desk.clock.advance(.seconds(31))
        #expect(try await manager.validAccessToken().number == first.number + 1)
    }

    @Test func noStormWhateverIsAsked() async throws {
        let desk = try await Desk()
        let manager = try await desk.signedIn()
        desk.clock.advance(.seconds(301))
        let broken = RotatingServer.Fate.replaced(GateServer.answer(500, ""), arrives: false)
        desk.server.set([RotatingServer.Fate](repeating: broken, count: 100))
        var errors: [TokenError] = []
        for _ in 0..<20 { errors.append(try #require(await failure { try await manager.validAccessToken() })) }
        // Twenty calls; thirty seconds have not passed.
        #expect(100 - desk.server.state.withLock { $0.fates.count } == 5)
        #expect(errors.first == .notNow(.failed(status: 500)))
        guard case .notNow(.tooManyRefreshes(let wait))? = errors.last else {
            Issue.record("\(errors)")
            return
        }
        desk.server.set([])
        desk.clock.advance(.milliseconds(wait))
        #expect(try await manager.validAccessToken().token.count > 0)
    }

    @Test func invalidGrantEndsItAndAsksOnce() async throws {
        let desk = try await Desk()
        let manager = try await desk.signedIn()
        let asked = Lock(0)
        let listener = Task { for await _ in manager.signInRequests { asked.withLock { $0 += 1 } } }
        desk.clock.advance(.seconds(301))
        desk.server.state.withLock { $0.family = nil }
        let errors = await withTaskGroup(of: TokenError?.self) { group in
            for _ in 0..<100 { group.addTask { await failure { try await manager.validAccessToken() } } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(errors.allSatisfy { $0 == .signInNeeded })
        #expect(desk.server.refreshes == 1)
        // Another process is told without asking the server.
        #expect(await failure({ try await desk.manager().validAccessToken() }) == .signInNeeded)
        #expect(desk.server.refreshes == 1)
        try await manager.signIn(with: desk.login())
        #expect(try await manager.validAccessToken().token.count > 0)
        desk.clock.advance(.seconds(301))
        desk.server.state.withLock { $0.family = nil }
        #expect(await failure({ try await manager.validAccessToken() }) == .signInNeeded)
        #expect(await eventually { asked.withLock { $0 } == 2 })
        listener.cancel()
    }

    @Test("where the end cannot be written down, this process knows it, asks the person once and the server no more")
    func endWithoutRoom() async throws {
        let desk = try await Desk()
        let stubborn = StubbornKeychain(desk.keychain)
        let manager = try await desk.signedIn(stubborn)
        let asked = Lock(0)
        let listener = Task { for await _ in manager.signInRequests { asked.withLock { $0 += 1 } } }
        desk.clock.advance(.seconds(301))
        desk.server.state.withLock { $0.family = nil }
        stubborn.writing.withLock { $0 = .storage(.full(path: "keychain.db")) }
        for _ in 0..<3 { #expect(await failure({ try await manager.validAccessToken() }) == .signInNeeded) }
        #expect(desk.server.refreshes == 1)
        stubborn.writing.withLock { $0 = nil }
        #expect(await failure({ try await manager.validAccessToken() }) == .signInNeeded)
        #expect(try await manager.status() == nil)
        #expect(await eventually { asked.withLock { $0 } == 1 })
        listener.cancel()
    }

    @Test func whatAnotherProcessSignedOutIsNotUsedForLong() async throws {
        let desk = try await Desk()
        let manager = try await desk.signedIn()
        _ = try await manager.validAccessToken()
        try await desk.manager().signOut()
        desk.clock.advance(.seconds(240))
        // Old, and looked after in the background.
        _ = try await manager.validAccessToken()
        #expect(await eventually { manager.current == nil })
        #expect(await failure({ try await manager.validAccessToken() }) == .signInNeeded)
        #expect(desk.server.refreshes == 0)
    }

    @Test("before somebody is signed out, a token that came into the keychain meanwhile is tried")
    func reread() async throws {
        let desk = try await Desk()
        let manager = try await desk.signedIn()
        let stale = try #require(try desk.place().read())
        desk.clock.advance(.seconds(301))
        _ = try await desk.manager().validAccessToken()
        desk.clock.advance(.seconds(301))
        _ = try await desk.manager().validAccessToken()
        desk.clock.advance(.seconds(301))
        let newest = try #require(try desk.place().read())
        // The keychain shows an old record for as long as the request is under way.
        try desk.place().store(stale)
        let exchange = Hooked { try? desk.place().store(newest) }
        desk.server.set([.replaced(GateServer.answer(400, #"{"error":"invalid_grant"}"#), arrives: false)])
        #expect(try await desk.manager(through: exchange).validAccessToken().token.count > 0)
        #expect(desk.server.violations == 0)
        withExtendedLifetime(manager) {}
    }

    @Test(
        "a refusal that is not the token's fault signs nobody out",
        arguments: ["invalid_client", "unauthorized_client", "invalid_scope", "invalid_request", "odd_reason"]
    )
    func refusals(_ code: String) async throws {
        let desk = try await Desk()
        let manager = try await desk.signedIn()
        desk.clock.advance(.seconds(301))
        desk.server.set([.replaced(GateServer.answer(401, #"{"error":"\#(code)"}"#), arrives: false)])
        #expect(await failure({ try await manager.validAccessToken() }) == .refused(OAuthErrorCode(code)))
        #expect(try await manager.validAccessToken().token.count > 0)
    }

    @Test("a thief who uses the refresh token first, or second: the owner is signed out, and asked")
    func thief() async throws {
        for isFirst in [true, false] {
            let desk = try await Desk()
            let manager = try await desk.signedIn()
            let stolen = try #require(try await manager.status()?.refreshToken)
            func steal() async throws -> GrantedTokens {
                try await desk.endpoint().tokens(by: .refreshToken(stolen))
            }
            desk.clock.advance(.seconds(301))
            if isFirst {
                let loot = try await steal()
                _ = try await desk.endpoint().tokens(by: .refreshToken(try #require(loot.response.refreshToken)))
            } else {
                _ = try await manager.validAccessToken()
                desk.clock.advance(.seconds(301))
                _ = try await manager.validAccessToken()
                #expect(await failure(steal) == .refused(.invalidGrant))
                desk.clock.advance(.seconds(301))
            }
            #expect(await failure({ try await manager.validAccessToken() }) == .signInNeeded)
        }
    }

    @Test func aTokenThatHasRunOutWhenItComesIsKeptAndNotUsed() async throws {
        let desk = try await Desk()
        let manager = try await desk.signedIn()
        let first = try await manager.validAccessToken()
        desk.clock.advance(.seconds(301))
        desk.server.state.withLock { $0.lifetime = -5 }
        #expect(await failure({ try await manager.validAccessToken() }) == .notNow(.expiredOnArrival))
        desk.server.state.withLock { $0.lifetime = 300 }
        #expect(try await manager.validAccessToken().number == first.number + 2)
        #expect(desk.server.violations == 0)
    }
}

/// libcurl, with something that happens before each request.
struct Hooked: HTTPExchanging {
    let before: @Sendable () -> Void

    init(_ before: @escaping @Sendable () -> Void) { self.before = before }

    func exchange(_ request: OutgoingRequest) async throws(ExchangeError) -> IncomingAnswer {
        before()
        return try await CurlExchange().exchange(request)
    }
}
