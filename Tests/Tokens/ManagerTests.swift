import Foundation
import MildamCrypto
import MildamKeychain
import MildamStorage
import MildamSystem
import MildamTokens
import TestSupport
import Testing

@Suite("The manager: tokens, clocks and the keychain")
struct ManagerTests {
    @Test func nobodySignedInIsSaidOnceAndWaitedFor() async throws {
        let desk = try await Desk()
        let manager = desk.manager()
        for _ in 0..<3 { #expect(await failure({ try await manager.validAccessToken() }) == .signInNeeded) }
        let asked = Lock(0)
        let listener = Task { for await _ in manager.signInRequests { asked.withLock { $0 += 1 } } }
        let waiting = Task { try await manager.validAccessTokenAfterSignIn() }
        let cancelled = Task { try await manager.validAccessTokenAfterSignIn() }
        try await Task.sleep(for: .milliseconds(50))
        cancelled.cancel()
        #expect(await failure({ try await cancelled.value }) == .cancelled)
        // In another process: it is found without being told.
        try await desk.manager().signIn(with: desk.login())
        #expect(try await waiting.value.token.count > 0)
        #expect(await eventually { asked.withLock { $0 } == 1 })
        listener.cancel()
    }

    @Test func aTokenIsReusedThenRefreshedBeforeItEnds() async throws {
        let desk = try await Desk()
        let manager = try await desk.signedIn()
        let first = try await manager.validAccessToken()
        desk.clock.advance(.seconds(200))
        #expect(try await manager.validAccessToken().number == first.number)
        #expect(desk.server.refreshes == 0)
        // Old, and still good: handed out, and refreshed meanwhile.
        desk.clock.advance(.seconds(40))
        #expect(try await manager.validAccessToken().number == first.number)
        #expect(await eventually { desk.server.refreshes == 1 })
        #expect(await eventually { manager.current?.number != first.number })
        let second = try await manager.validAccessToken()
        #expect(second.number == first.number + 1)
        // Near its end: waited for.
        desk.clock.advance(.seconds(275))
        #expect(try await manager.validAccessToken().number == second.number + 1)
        #expect(desk.server.refreshes == 2 && desk.server.violations == 0)
    }

    @Test func tenThousandCallersAtExpiryCauseOneRefresh() async throws {
        let desk = try await Desk()
        let manager = try await desk.signedIn()
        desk.clock.advance(.seconds(301))
        desk.server.set([.late(100)])
        let numbers = try await withThrowingTaskGroup(of: UInt64.self) { group in
            for _ in 0..<10_000 { group.addTask { try await manager.validAccessToken().number } }
            return try await group.reduce(into: Set<UInt64>()) { $0.insert($1) }
        }
        #expect(numbers.count == 1)
        #expect(desk.server.refreshes == 1)
    }

    @Test(
        "a token at hand costs less than a microsecond",
        .enabled(if: Build.isOptimised, "a measure of optimised programs; `make prove` takes it")
    )
    func speed() async throws {
        let desk = try await Desk()
        // The real clock: a test's own has a lock.
        let endpoint = TokenEndpoint(desk.server.server, OAuthClient(id: "desk"))
        let manager = SecureTokenManager(endpoint, in: desk.place(), lock: desk.folder.file("l"))
        try await manager.signIn(with: endpoint.tokens(by: .clientCredentials(scope: nil)))
        let count = 1_000_000
        var sum: UInt64 = 0
        let start = ContinuousClock.now
        for _ in 0..<count { sum &+= try await manager.validAccessToken().number }
        let each = (ContinuousClock.now - start) / count
        print("validAccessToken: \(each)")
        #expect(sum != 0 && each < .microseconds(1))
    }

    // MARK: Clocks

    @Test("the wall clock jumps a day either way: nothing changes", arguments: [-86_400, 86_400])
    func jump(_ seconds: Int) async throws {
        let desk = try await Desk()
        let manager = try await desk.signedIn()
        let first = try await manager.validAccessToken()
        desk.clock.jump(.seconds(seconds))
        for manager in [manager, desk.manager()] {
            #expect(try await manager.validAccessToken().number == first.number)
        }
        #expect(desk.server.refreshes == 0)
        // The server's clock does not jump with it.
        desk.server.state.withLock { $0.dateOffset = Int64(-seconds) * 1000 }
        desk.clock.advance(.seconds(290))
        #expect(try await manager.validAccessToken().number == first.number + 1)
        #expect(desk.server.refreshes == 1)
    }

    @Test("eight hours of sleep, with the clock set a day back after them: the dead token is not handed out")
    func sleepAndJump() async throws {
        let desk = try await Desk()
        let manager = try await desk.signedIn()
        let first = try await manager.validAccessToken()
        desk.clock.advance(.seconds(8 * 3600))
        desk.clock.jump(.seconds(-86_400))
        #expect(try await manager.validAccessToken().number == first.number + 1)
        desk.clock.advance(.seconds(8 * 3600))
        #expect(try await desk.manager().validAccessToken().number == first.number + 2)
        #expect(desk.server.refreshes == 2)
    }

    @Test(
        "after a restart of the machine a token is refreshed first; while that cannot be done, the wall clock decides"
    )
    func restart() async throws {
        let desk = try await Desk()
        let first = try await desk.signedIn().validAccessToken()
        desk.clock.restart(after: .seconds(60))
        desk.server.set([.lost, .lost, .lost, .lost, .lost, .lost, .lost, .lost, .lost])
        #expect(try await desk.manager().validAccessToken().number == first.number)
        // Set back: what was asked for in the future is not believed.
        desk.clock.jump(.seconds(-3600))
        let error = await failure { try await desk.manager().validAccessToken() }
        #expect(error == .notNow(.exchange(.cut)))
        desk.server.set([])
        #expect(try await desk.manager().validAccessToken().number == first.number + 1)
    }

    @Test func theServersClockIsLearned() async throws {
        let desk = try await Desk()
        let manager = desk.manager()
        desk.server.state.withLock { $0.dateOffset = 3_600_000 }
        try await manager.signIn(with: desk.login())
        let off = manager.serverTime - desk.clock.wall
        #expect((3_598_000...3_600_000).contains(off))
        desk.clock.jump(.seconds(-600))
        #expect((4_198_000...4_200_000).contains(manager.serverTime - desk.clock.wall))
    }

    // MARK: The keychain

    @Test func aLockedKeychainIsNotNow() async throws {
        let desk = try await Desk()
        let stubborn = StubbornKeychain(desk.keychain)
        let manager = try await desk.signedIn(stubborn)
        let first = try await manager.validAccessToken()
        stubborn.reading.withLock { $0 = .locked }
        #expect(await failure({ try await desk.manager(stubborn).validAccessToken() }) == .notNow(.locked))
        // What is in memory stays good, also in the time when it is refreshed; then it is not now, and nobody is asked.
        desk.clock.advance(.seconds(280))
        #expect(try await manager.validAccessToken().number == first.number)
        desk.clock.advance(.seconds(30))
        #expect(await failure({ try await manager.validAccessToken() }) == .notNow(.locked))
        #expect(desk.server.refreshes == 0)
        stubborn.reading.withLock { $0 = nil }
        #expect(try await manager.validAccessToken().number == first.number + 1)
    }

    @Test func whatCannotBeWrittenIsNotHandedOutAndNotLost() async throws {
        let desk = try await Desk()
        let stubborn = StubbornKeychain(desk.keychain)
        let manager = try await desk.signedIn(stubborn)
        let first = try await manager.validAccessToken()
        let full = KeychainError.storage(.full(path: "keychain.db"))
        stubborn.writing.withLock { $0 = full }
        // While the old one lives, it is handed out.
        desk.clock.advance(.seconds(275))
        #expect(try await manager.validAccessToken().number == first.number)
        #expect(desk.server.refreshes == 1)
        desk.clock.advance(.seconds(30))
        #expect(await failure({ try await manager.validAccessToken() }) == .notNow(.keychain(full)))
        // No other process presents the old token meanwhile.
        var options = SecureTokenManager.Options()
        options.lockPatience = .seconds(1)
        #expect(await failure({ try await desk.manager(options: options).validAccessToken() }) == .notNow(.busy))
        #expect(desk.server.refreshes == 1)
        // As soon as there is room, it is written, whether anybody asks or not, and without another refresh.
        stubborn.writing.withLock { $0 = nil }
        let before = stubborn.writes.withLock { $0 }
        #expect(await eventually { stubborn.writes.withLock { $0 } > before })
        desk.server.set([])
        desk.server.state.withLock { $0.lifetime = 30_000 }
        #expect(try await desk.manager().validAccessToken().number >= first.number + 1)
        #expect(desk.server.violations == 0)
    }

    @Test func theNewTokenIsOnTheDiskBeforeItIsHandedOut() async throws {
        let desk = try await Desk()
        let manager = try await desk.signedIn()
        for _ in 0..<3 {
            desk.clock.advance(.seconds(301))
            let credential = try await manager.validAccessToken()
            let kept = try #require(try desk.place().read())
            let record = try kept.withSpan { (bytes) throws(any Error) in try TokenRecord(bytes: bytes) }
            #expect(record.number == credential.number)
            #expect(try #require(record.tokens).accessToken.constantTimeEquals(credential.token))
        }
    }

    @Test func aRecordOfAnotherServerIsSentNowhere() async throws {
        let desk = try await Desk()
        _ = try await desk.signedIn()
        let other = try RotatingServer()
        let endpoint = TokenEndpoint(other.server, OAuthClient(id: "desk"), clock: desk.clock.clock)
        let manager = SecureTokenManager(endpoint, in: desk.place(), lock: desk.folder.file("tokens.lock"))
        #expect(await failure({ try await manager.validAccessToken() }) == .signInNeeded)
        #expect(other.state.withLock(\.requests) == 0)
    }

    @Test func somethingElseInItsPlaceIsNoSignOut() async throws {
        let desk = try await Desk()
        try desk.place().store(SecretValue(text: "somebody else's"))
        #expect(await failure({ try await desk.manager().validAccessToken() }) == .notNow(.unreadable))
        // A sign-in takes the place.
        #expect(try await desk.signedIn().validAccessToken().token.count > 0)
    }

    @Test func signingOutEndsItHereAndThere() async throws {
        let desk = try await Desk()
        let manager = try await desk.signedIn()
        let refresh = try #require(try await manager.status()?.refreshToken?.text)
        #expect(try await manager.signOut())
        #expect(desk.server.state.withLock(\.revoked) == [refresh])
        #expect(try desk.place().read() == nil)
        #expect(try await manager.status() == nil)
        #expect(await failure({ try await manager.validAccessToken() }) == .signInNeeded)
        // Also where the server is away.
        let again = try await desk.signedIn()
        let gone = TokenEndpoint(
            OAuthServer(token: desk.server.server.token),
            OAuthClient(id: "desk"),
            clock: desk.clock.clock
        )
        let other = SecureTokenManager(gone, in: desk.place(), lock: desk.folder.file("tokens.lock"))
        #expect(try await !other.signOut())
        #expect(try desk.place().read() == nil)
        withExtendedLifetime(again) {}
    }

    @Test func clientCredentialsNeedNobody() async throws {
        let desk = try await Desk()
        var options = SecureTokenManager.Options()
        options.renewal = .clientCredentials(scope: "a")
        let manager = desk.manager(options: options)
        let first = try await manager.validAccessToken()
        desk.clock.advance(.seconds(301))
        #expect(try await manager.validAccessToken().number == first.number + 1)
    }
}
