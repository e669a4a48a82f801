import Foundation
import MildamIdentity
import MildamJOSE
import MildamRelayAPI
import MildamSystem
import MildamTransport
import TestSupport
import Testing

@testable import MildamRelay

@Suite("Sessions of an account over HTTP", .timeLimit(.minutes(2)))
struct AccountSessionTests {
    private func isLoggedIn(_ person: Person) async throws -> Bool {
        try await person.ask(.get, "/v1/rooms").status == 200
    }

    @Test("an account sees its own sessions: of which device, since when, last used when, and which is its own")
    func list() async throws {
        let relay = try TestRelay()
        var alice = try await Person("alice", on: relay)
        _ = try await Person("bob", on: relay)
        let phone = try await alice.onAnotherDevice()
        let begun = relay.now
        relay.advance(seconds: 100)
        alice.tokens = try await alice.refresh(alice.tokens.refresh).value()
        let list: SessionList = try await alice.ask(.get, Routes.sessions.path).value()
        let own = try #require(list.sessions.first { $0.session == alice.tokens.session })
        let other = try #require(list.sessions.first { $0.session == phone.tokens.session })
        #expect(list.sessions.count == 2)
        #expect(own.isCurrent && own.device == alice.device && !other.isCurrent && other.device == phone.device)
        #expect(abs(own.begun - begun) < 10 && abs(own.refreshed - begun - 100) < 10)
        #expect(other.refreshed == other.begun && abs(other.begun - begun) < 10)
        #expect(try await relay.ask(.get, Routes.sessions.path).apiError?.code == .unauthorized)
        await relay.server.stop()
    }

    @Test("an ended session has no refresh token, no access token and no socket any more; the others have theirs")
    func endOne() async throws {
        let relay = try TestRelay()
        let alice = try await Person("alice", on: relay)
        let phone = try await alice.onAnotherDevice()
        let bob = try await Person("bob", on: relay)
        var (socket, own) = (try await Socket(phone), try await Socket(alice))
        #expect(try await isLoggedIn(phone))
        #expect(try await alice.ask(.delete, Routes.endSession.at(phone.tokens.session).path).status == 204)
        let start = ContinuousClock.now
        #expect(try await socket.next() == nil)
        #expect(socket.connection.closing?.code == LiveSocket.Code.unauthorized)
        // Its token would have lasted for minutes.
        #expect(ContinuousClock.now - start < .seconds(10))
        let refusal = try await phone.ask(.get, "/v1/rooms")
        #expect(refusal.status == 401 && refusal.apiError?.code == .unauthorized)
        #expect(try await phone.refresh(phone.tokens.refresh).apiError?.code == .sessionEnded)
        await #expect(throws: TransportError.self) { try await Socket(phone) }
        // Nobody else's.
        #expect(try await isLoggedIn(alice))
        try await own.say(.renew(access: alice.token))
        guard case .renewed = try await own.next() else { throw CancellationError() }
        for session in [bob.tokens.session, phone.tokens.session, .random()] {
            let answer = try await alice.ask(.delete, Routes.endSession.at(session).path)
            #expect(answer.status == 404 && answer.apiError?.code == .unknownSession)
        }
        #expect(try await isLoggedIn(bob))
        #expect(try await bob.refresh(bob.tokens.refresh).status == 200)
        await relay.server.stop()
    }

    @Test("all but the caller's own are ended at once")
    func endOthers() async throws {
        let relay = try TestRelay()
        let alice = try await Person("alice", on: relay)
        let bob = try await Person("bob", on: relay)
        let others = [try await alice.onAnotherDevice(), try await alice.onAnotherDevice()]
        #expect(try await alice.ask(.delete, Routes.endOtherSessions.path).status == 204)
        for other in others {
            #expect(try await !isLoggedIn(other))
            #expect(try await other.refresh(other.tokens.refresh).apiError?.code == .sessionEnded)
        }
        #expect(try await isLoggedIn(alice))
        #expect(try await alice.refresh(alice.tokens.refresh).status == 200)
        #expect(try await isLoggedIn(bob))
        await relay.server.stop()
    }

    @Test("the end of a session is answered and told before a refresh that came with it can be used")
    func endWhileRefreshing() async throws {
        let relay = try TestRelay()
        let alice = try await Person("alice", on: relay)
        let phone = try await alice.onAnotherDevice()
        async let refreshed = phone.refresh(phone.tokens.refresh)
        async let ended = alice.ask(.delete, Routes.endSession.at(phone.tokens.session).path)
        #expect(try await ended.status == 204)
        if let tokens = try? await refreshed.value(SessionTokens.self) {
            #expect(try await relay.ask(.get, "/v1/rooms", token: tokens.access).status == 401)
        }
        await relay.server.stop()
    }

    @Test("a session that ended a moment ago ends no other, changes no password and deletes nothing")
    func endedEndsNothing() async throws {
        let relay = try TestRelay()
        let alice = try await Person("alice", on: relay)
        let phone = try await alice.onAnotherDevice()
        // Its row is gone, and nobody was told yet.
        let sender = alice.sender
        let result: Result<Void, APIError> = await relay.change { facts, _ in
            let address = MailboxAddress(account: sender.account, device: sender.device)
            facts.removeSession(sender.session, at: address)
            return .success(())
        }
        try result.get()
        let before = try relay.dump()
        #expect(try await alice.ask(.delete, Routes.endOtherSessions.path).apiError?.code == .unauthorized)
        let one = try await alice.ask(.delete, Routes.endSession.at(phone.tokens.session).path)
        #expect(one.apiError?.code == .unauthorized)
        let new = Data(repeating: 7, count: 32)
        let change = PasswordRequest(proof: alice.proof(.password, presenting: new), authenticator: new)
        #expect(try await alice.ask(Routes.changePassword.at(), change).apiError?.code == .wrongCredentials)
        #expect(
            try await alice.ask(Routes.deleteAccount.at(), alice.deletion()).apiError?.code == .wrongCredentials
        )
        let enrolment = try await alice.ask(Routes.takeSecondFactor.at(), alice.proof(.secondFactor))
        #expect(enrolment.apiError?.code == .wrongCredentials)
        #expect(try relay.dump() == before)
        #expect(try await isLoggedIn(phone))
        await relay.server.stop()
    }

    @Test("a device that logs in again has one session: the tokens of the one before are refused")
    func again() async throws {
        let relay = try TestRelay()
        let alice = try await Person("alice", on: relay)
        var again = alice
        try await again.logIn()
        #expect(try await !isLoggedIn(alice))
        #expect(try await isLoggedIn(again))
        await relay.server.stop()
    }

    @Test("a relay that was started anew believes the access token of an ended session until it runs out")
    func forgotten() async throws {
        let folder = try TemporaryFolder()
        let first = try TestRelay(folder: folder)
        let alice = try await Person("alice", on: first)
        #expect(try await alice.ask(.delete, Routes.logOut.path).status == 204)
        #expect(try await !isLoggedIn(alice))
        await first.server.stop()
        let second = try TestRelay(folder: folder)
        #expect(try await second.ask(.get, "/v1/rooms", token: alice.token).status == 200)
        second.advance(seconds: AccessToken.lifetime)
        #expect(try await second.ask(.get, "/v1/rooms", token: alice.token).status == 401)
        await second.server.stop()
    }

    @Test("when more sessions end than are kept, older tokens are refused whosever they are, and newer ones are not")
    func bounded() {
        let now = Lock<Int64>(10_000)
        let ended = EndedSessions(clock: WallClock { now.withLock { $0 } * 1000 })
        func sender(_ session: SessionID, issued: Int64) -> Sender {
            Sender(account: .random(), device: .random(), session: session, expires: issued + AccessToken.lifetime)
        }
        let (first, last) = (SessionID.random(), SessionID.random())
        ended.insert(first)
        for _ in 0..<EndedSessions.maximum / 2 { ended.insert(.random()) }
        now.withLock { $0 += 100 }
        for _ in 0..<EndedSessions.maximum / 2 - 1 { ended.insert(.random()) }
        let living = sender(.random(), issued: 10_000)
        #expect(!ended.refuses(living))
        ended.insert(last)
        // The first is kept no more, and refused all the same.
        #expect(ended.refuses(sender(first, issued: 9_990)) && ended.refuses(sender(first, issued: 10_000)))
        #expect(ended.refuses(living))
        #expect(ended.refuses(sender(last, issued: 10_099)) && !ended.refuses(sender(.random(), issued: 10_099)))
        // Those whose tokens have all run out make room by themselves.
        now.withLock { $0 += 1000 }
        for _ in 0..<EndedSessions.maximum { ended.insert(.random()) }
        #expect(!ended.refuses(sender(.random(), issued: 10_200)))
    }
}
