import Foundation
import MildamRelayAPI
import MildamTransport
import Testing

@testable import MildamRelay

@Suite("Lines for logins that failed")
struct LoginFailureLogTests {
    private static let line = "login_failed (network 192.0.2.0/24)"
    private static let from: HTTPFields = ["X-Forwarded-For": "192.0.2.77"]

    private func relay() throws -> TestRelay {
        try TestRelay { configuration in
            configuration.behindProxy = true
            configuration.logsFailedLogins = true
        }
    }

    private func lines(_ relay: TestRelay) -> [String] {
        relay.lines.withLock { lines in
            defer { lines = [] }
            return lines
        }
    }

    @Test("a wrong password, handle, device or code is one line each, of the network alone; what is right is none")
    func logins() async throws {
        let relay = try relay()
        var alice = try await Person("alice", on: relay)
        let wrong = Data(repeating: 7, count: 32)
        for request in [
            alice.loginRequest(authenticator: wrong), alice.loginRequest(as: "nobody"),
            alice.loginRequest(on: .random()),
        ] {
            #expect(try await relay.ask(request, fields: Self.from).apiError?.code == .wrongCredentials)
            #expect(lines(relay) == [Self.line])
        }
        #expect(try await relay.ask(alice.loginRequest(), fields: Self.from).status == 200)
        // That was another session than hers.
        try await alice.logIn()
        let (token, _) = try await alice.takeSecondFactor()
        relay.advance(seconds: 60)
        #expect(lines(relay).isEmpty)
        // That a code is needed is no failure.
        _ = try await relay.ask(alice.loginRequest(), fields: Self.from)
        #expect(lines(relay).isEmpty)
        let guess = alice.loginRequest(otp: "000000")
        #expect(try await relay.ask(guess, fields: Self.from).status == 400)
        #expect(lines(relay) == [Self.line])
        try await alice.logIn(otp: token.code(at: UInt64(relay.now)))
        #expect(lines(relay).isEmpty)
        await relay.server.stop()
    }

    @Test("so is what an account's owner does not prove")
    func owner() async throws {
        let relay = try relay()
        let alice = try await Person("alice", on: relay)
        let new = Data(repeating: 8, count: 32)
        let wrong = Data(repeating: 7, count: 32)
        let proof = alice.proof(.password, presenting: new, authenticator: wrong)
        let change = PasswordRequest(proof: proof, authenticator: new)
        #expect(try await alice.ask(Routes.changePassword.at(), change).apiError?.code == .wrongCredentials)
        #expect(lines(relay) == ["login_failed (network 127.0.0.0/24)"])
        await relay.server.stop()
    }

    @Test("nobody is noted where nobody asked for it")
    func silence() async throws {
        let relay = try TestRelay()
        let alice = try await Person("alice", on: relay)
        let request = alice.loginRequest(authenticator: Data(repeating: 7, count: 32))
        #expect(try await relay.ask(request).apiError?.code == .wrongCredentials)
        #expect(lines(relay).isEmpty)
        await relay.server.stop()
    }

    @Test("so many lines in a minute, and then how many there were more")
    func bound() async throws {
        let relay = try TestRelay { configuration in
            configuration.logsFailedLogins = true
            configuration.rateClock = { 1 << 60 }
        }
        let failure = Result<Void, APIError>.failure(LoginCheck.wrong)
        for _ in 0..<LoginFailureLog.lines + 7 {
            relay.server.parts.loginFailures.note(failure, from: .loopback(port: 1))
        }
        await relay.server.stop()
        let lines = lines(relay)
        #expect(lines.count { $0.hasPrefix("login_failed") } == LoginFailureLog.lines)
        #expect(lines.last?.hasSuffix("(of login_failed, lines 7)") == true, "\(lines.last ?? "")")
    }
}
