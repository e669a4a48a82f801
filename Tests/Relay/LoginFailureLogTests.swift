import Foundation
import MildamRelayAPI
import MildamSystem
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
        for number in 0..<LoginFailureLog.lines + 7 {
            let address = try #require(SocketAddress(ip: "10.\(number / 256).\(number % 256).1", port: 1))
            relay.server.parts.loginFailures.note(failure, from: address)
        }
        await relay.server.stop()
        let lines = lines(relay)
        #expect(lines.count { $0.hasPrefix("login_failed") } == LoginFailureLog.lines)
        #expect(lines.last?.hasSuffix("(of login_failed, lines 7)") == true, "\(lines.last ?? "")")
    }

    @Test("networks that guess much hide no other, and their next line says how many there were more")
    func networks() async throws {
        let now = Lock<UInt64>(1 << 60)
        let relay = try TestRelay { configuration in
            configuration.logsFailedLogins = true
            configuration.rateClock = { now.withLock { $0 } }
        }
        let failure = Result<Void, APIError>.failure(LoginCheck.wrong)
        func note(_ ip: String, times: Int = 1) throws {
            let address = try #require(SocketAddress(ip: ip, port: 1))
            for _ in 0..<times { relay.server.parts.loginFailures.note(failure, from: address) }
        }
        for number in 1...5 { try note("192.0.\(number).77", times: LoginFailureLog.lines) }
        try note("198.51.100.1")
        let first = lines(relay)
        #expect(first.count == 5 * NetworkAllowance.lines + 1)
        #expect(first.last == "login_failed (network 198.51.100.0/24)")
        now.withLock { $0 += LogAllowance.span }
        for ip in ["192.0.1.78", "192.0.1.79"] { try note(ip) }
        let more = LoginFailureLog.lines - NetworkAllowance.lines
        let next = ["login_failed (network 192.0.1.0/24, left_out \(more))", "login_failed (network 192.0.1.0/24)"]
        #expect(lines(relay) == next)
        await relay.server.stop()
    }

    @Test("a network's lines of one minute are enough for the ban of relay.md, whose filter reads them")
    func ban() throws {
        let page = try String(contentsOfFile: "Documentation/relay.md", encoding: .utf8)
        func setting(_ name: String) throws -> Substring {
            let line = try #require(page.split(separator: "\n").first { $0.hasPrefix("\(name) = ") })
            return line.dropFirst(name.count + 3)
        }
        #expect(NetworkAllowance.lines >= (try #require(Int(setting("maxretry")))))
        // What fail2ban puts in the tag's place, in short.
        let filter = try setting("failregex").replacing("<SUBNET>", with: "([0-9a-f.:]+/[0-9]+)")
        let (written, now) = (Lock<[String]>([]), Lock<UInt64>(1 << 60))
        let target = RelayLog { entry in
            let line = entry.json(at: WallClock { 1_700_000_000_250 })
            written.withLock { $0.append(line) }
        }
        let log = LoginFailureLog(log: target) { now.withLock { $0 } }
        let address = try #require(SocketAddress(ip: "192.0.2.77", port: 1))
        let failure = Result<Void, APIError>.failure(LoginCheck.wrong)
        for _ in 0..<NetworkAllowance.lines + 7 { log.note(failure, from: address) }
        now.withLock { $0 += LogAllowance.span }
        log.note(failure, from: address)
        let lines = written.withLock { $0 }
        #expect(lines.count == NetworkAllowance.lines + 1)
        #expect(lines.last?.contains(#""left_out":7"#) == true)
        for line in lines {
            let found = try Regex(String(filter), as: (Substring, Substring).self).firstMatch(in: line)
            #expect(found?.output.1 == "192.0.2.0/24", "\(line)")
        }
    }

    @Test("so many networks are remembered, and the one that was seen longest ago leaves first")
    func remembered() {
        var allowance = NetworkAllowance()
        for network in 0..<UInt64(NetworkAllowance.networks) {
            for _ in 0..<NetworkAllowance.lines { _ = allowance.take(network, at: 1) }
        }
        let again = allowance.take(0, at: 1)
        let new = allowance.take(.max, at: 1)
        #expect(again == nil && new == 0)
        // It was seen again; the one after it was not, and is as good as new.
        let seen = allowance.take(0, at: 1)
        let gone = allowance.take(1, at: 1)
        #expect(seen == nil && gone == 0)
    }
}
