import Foundation
import MildamCrypto
import MildamIdentity
import MildamRelayAPI
import TestSupport
import Testing

@testable import MildamRelay

@Suite("What happened to an account, over HTTP")
struct AuditTests {
    @Test("its owner reads what happened, the newest first, and nobody else does")
    func log() async throws {
        let relay = try TestRelay()
        var alice = try await Person("alice", on: relay)
        let bob = try await Person("bob", on: relay)
        let first = alice.tokens.session
        let phone = try await alice.onAnotherDevice()
        relay.advance(seconds: 1)
        try await alice.logIn()
        let (token, recovery) = try await alice.takeSecondFactor()
        relay.advance(seconds: 60)
        #expect(try await alice.login(otp: "000000").status == 400)
        try await alice.logIn(otp: token.code(at: UInt64(relay.now)))
        try await alice.logIn(recoveryCode: recovery[0])
        #expect(try await alice.ask(.delete, Routes.endSession.at(phone.tokens.session).path).status == 204)
        let entries = try await alice.log()
        let expected: [AuditEntry.Kind] = [
            .registered, .loggedIn, .loggedIn, .secondFactorAdded, .codeFailed, .codeUsed, .loggedIn, .recoveryCodeUsed,
            .loggedIn, .sessionEnded,
        ]
        #expect(entries.map(\.kind) == expected.reversed())
        #expect(entries.last?.session == first && entries.last?.device == alice.device && entries.last?.count == 1)
        #expect(entries.first?.session == phone.tokens.session && entries.first?.device == phone.device)
        #expect(entries.allSatisfy { abs($0.time - relay.now) < 100 })
        #expect(try await bob.log().map(\.kind) == [.registered])
        #expect(try await relay.ask(.get, Routes.accountLog.path).apiError?.code == .unauthorized)
        // No token, no code, no address.
        let text = String(decoding: try await alice.ask(.get, Routes.accountLog.path).body, as: UTF8.self)
        for secret in [alice.token, alice.tokens.refresh.base64EncodedString(), recovery[0], "127.0.0.1"] {
            #expect(!text.contains(secret))
        }
        await relay.server.stop()
    }

    @Test("logging out, reuse of a refresh token, idleness, another password and new keys are told apart")
    func endings() async throws {
        let relay = try TestRelay()
        var alice = try await Person("alice", on: relay)
        // Used twice after its successor was used.
        let second: SessionTokens = try await alice.refresh(alice.tokens.refresh).value()
        _ = try await alice.refresh(second.refresh)
        #expect(try await alice.refresh(alice.tokens.refresh).apiError?.code == .sessionEnded)
        try await alice.logIn()
        #expect(try await alice.log().map(\.kind) == [.loggedIn, .tokenReused, .registered])
        #expect(try await alice.ask(.delete, Routes.logOut.path).status == 204)
        try await alice.logIn()
        let new = SecureRandom.data(count: 32)
        let change = PasswordRequest(proof: alice.proof(.password, presenting: new), authenticator: new)
        #expect(try await alice.ask(Routes.changePassword.at(), change).status == 204)
        relay.advance(seconds: RefreshFamily.idleLifetime + 1)
        #expect(try await alice.refresh(alice.tokens.refresh).apiError?.code == .sessionEnded)
        alice.tokens = try await alice.login(authenticator: new).value()
        let kinds = try await alice.log().map(\.kind)
        #expect(kinds.prefix(5) == [.loggedIn, .sessionExpired, .passwordChanged, .loggedIn, .loggedOut])
        await relay.server.stop()
    }

    @Test(
        "failed logins of a day are one line, counted for the account that was named, and cost the store nothing at once"
    )
    func failures() async throws {
        let relay = try TestRelay { $0.limitsRates = false }
        let alice = try await Person("alice", on: relay)
        let bob = try await Person("bob", on: relay)
        let unknown = alice.loginRequest(as: "nobody")
        let elsewhere = alice.loginRequest(on: bob.device)
        // The start's own, and two registrations; they are counted when their answers have left.
        let operations = relay.server.parts.metrics.operations
        #expect(await eventually { operations.value == 3 })
        let start = ContinuousClock.now
        for _ in 0..<5 {
            _ = try await alice.login(authenticator: SecureRandom.data(count: 32))
            _ = try await relay.ask(alice.loginRequest(keys: DeviceKeys()))
            _ = try await relay.ask(elsewhere)
            _ = try await relay.ask(unknown)
        }
        // Some seconds later they are written, all at once.
        let isEarly = ContinuousClock.now - start < .seconds(5)
        #expect(!isEarly || operations.value == 3)
        let line = try #require(try await alice.log().first)
        #expect(line.kind == .loginFailed && line.count == 15 && line.session == nil && line.device == nil)
        #expect(try await bob.log().map(\.kind) == [.registered])
        _ = try await alice.login(authenticator: SecureRandom.data(count: 32))
        let again = try await alice.log().filter { $0.kind == .loginFailed }
        #expect(again.reduce(0) { $0 + $1.count } == 16 && again.count <= 2)
        await relay.server.stop()
    }

    @Test("what was counted is written when the relay stops")
    func stopping() async throws {
        let folder = try TemporaryFolder()
        let relay = try TestRelay(folder: folder)
        let alice = try await Person("alice", on: relay)
        _ = try await alice.login(authenticator: SecureRandom.data(count: 32))
        await relay.server.stop()
        let second = try TestRelay(folder: folder)
        let answer = try await second.ask(.get, Routes.accountLog.path, token: alice.token)
        #expect(try answer.value(AuditLog.self).entries.first?.kind == .loginFailed)
        await second.server.stop()
    }

    @Test("it is bounded, and failures, which others bring about, push nothing else out")
    func bounded() async throws {
        let folder = try TemporaryFolder()
        let store = StoreUnderTest.chosen.store(at: folder.file("relay.db"))
        let transactor = try Transactor(store)
        defer { transactor.lane.close() }
        let (account, other) = (AccountID.random(), AccountID.random())
        let people = [(account, try Handle("alice")), (other, try Handle("bob"))]
        var now: Int64 = 1_700_000_000_000
        func perform(
            _ body: @escaping @Sendable (inout Facts, Int64) throws(Missing) -> Result<Void, APIError>
        ) throws {
            try transactor.alone(Doing(body: body), at: now).get()
        }
        func note(_ kinds: [AuditEntry.Kind], of account: AccountID, count: Int = 1) throws {
            try perform { facts, now throws(Missing) in
                for kind in kinds { try AuditRules.note(kind, of: account, count: count, &facts, at: now) }
                return .success(())
            }
        }
        func lines(_ account: AccountID) throws -> [AuditEntry] {
            try store.openReads().auditLog(of: account).entries
        }
        try perform { facts, _ in
            for (account, handle) in people {
                facts.make(account, handle: handle, bundle: [1], verifier: SaltedVerifier(salt: [1], verifier: [1]))
            }
            return .success(())
        }
        try note([.registered], of: account)
        try note([.loggedIn], of: other)
        for day in 0..<100 {
            now += 86_400_000
            for _ in 0..<3 {
                try note([.loginFailed], of: account, count: 2)
                try note([.codeFailed], of: account)
            }
            #expect(try lines(account).contains { $0.kind == .registered }, "\(day)")
        }
        #expect(try lines(account).count == AuditRules.failures + 1)
        #expect(try lines(account).filter { $0.kind == .loginFailed }.allSatisfy { $0.count == 6 })
        for _ in 0..<2 { try note(Array(repeating: .loggedIn, count: AuditRules.lines), of: account) }
        let all = try lines(account)
        #expect(all.count == AuditRules.lines + AuditRules.failures)
        #expect(!all.contains { $0.kind == .registered })
        #expect(try lines(other).map(\.kind) == [.loggedIn])
        // A count has an end.
        try note([.loginFailed], of: account, count: .max)
        try note([.loginFailed], of: account, count: 1_000_000_000)
        #expect(try lines(account).first { $0.kind == .loginFailed }?.count == 1_000_000_000)
    }
}
