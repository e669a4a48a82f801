import Foundation
import MildamCrypto
import MildamIdentity
import MildamOTP
import MildamRelayAPI
import MildamTransport
import MildamWire
import TestSupport
import Testing

@testable import MildamRelay

@Suite("A second factor over HTTP", .timeLimit(.minutes(3)))
struct SecondFactorTests {
    private func unlimited(_ folder: TemporaryFolder? = nil) throws -> TestRelay {
        try TestRelay(folder: folder) { $0.limitsRates = false }
    }

    private func code(_ token: OneTimePassword, _ relay: TestRelay, steps: Int64 = 0) -> String {
        token.code(at: UInt64(relay.now + steps * 30))
    }

    /// A code that is none of those that are taken now.
    private func wrongCode(_ token: OneTimePassword, _ relay: TestRelay) -> String {
        let good = (-2...2).map { code(token, relay, steps: $0) }
        return ["000000", "000001", "000002", "000003", "000004", "000005"].first { !good.contains($0) } ?? ""
    }

    @Test("what waits asks for nothing; once confirmed, logging in takes a code")
    func enrolment() async throws {
        let relay = try unlimited()
        var alice = try await Person("alice", on: relay)
        func state() async throws -> SecondFactorState {
            try await alice.ask(.get, Routes.secondFactor.path).value()
        }
        #expect(try await state() == SecondFactorState(isActive: false, recoveryCodes: 0))
        for proof in [
            alice.proof(.secondFactor, keys: DeviceKeys()), alice.proof(.renewal), alice.proof(.secondFactorRemoval),
            alice.proof(.secondFactor, authenticator: SecureRandom.data(count: 32)),
        ] {
            #expect(try await alice.ask(Routes.takeSecondFactor.at(), proof).apiError?.code == .wrongCredentials)
        }
        let none = ConfirmSecondFactorRequest(otp: "123456")
        #expect(try await alice.ask(Routes.confirmSecondFactor.at(), none).apiError?.code == .noSecondFactor)
        let early: SecondFactorSecret = try await alice.ask(Routes.takeSecondFactor.at(), alice.proof(.secondFactor))
            .value()
        let secret: SecondFactorSecret = try await alice.ask(Routes.takeSecondFactor.at(), alice.proof(.secondFactor))
            .value()
        #expect(early.secret != secret.secret && secret.secret.count == 20)
        let token = try OneTimePassword(secret: SymmetricKey(data: secret.secret))
        #expect(secret.uri.hasPrefix("otpauth://totp/Mildam:alice?secret="))
        #expect(secret.uri.contains(Base32.encode([UInt8](secret.secret)).uppercased()))
        #expect(try await state() == SecondFactorState(isActive: false, recoveryCodes: 0))
        try await alice.logIn()

        // The one that was replaced makes no codes any more.
        let replaced = try OneTimePassword(secret: SymmetricKey(data: early.secret))
        for wrong in [code(replaced, relay), wrongCode(token, relay)] where wrong != code(token, relay) {
            let answer = try await alice.ask(Routes.confirmSecondFactor.at(), ConfirmSecondFactorRequest(otp: wrong))
            #expect(answer.status == 401 && answer.apiError?.code == .wrongCode)
        }
        #expect(try await alice.login().status == 200)
        try await alice.logIn()
        let right = ConfirmSecondFactorRequest(otp: code(token, relay))
        let codes: RecoveryCodes = try await alice.ask(Routes.confirmSecondFactor.at(), right).value()
        #expect(Set(codes.codes).count == 10)
        #expect(try await state() == SecondFactorState(isActive: true, recoveryCodes: 10))
        #expect(try await alice.ask(Routes.confirmSecondFactor.at(), right).apiError?.code == .secondFactorActive)
        let another = try await alice.ask(Routes.takeSecondFactor.at(), alice.proof(.secondFactor))
        #expect(another.apiError?.code == .secondFactorActive)

        let refusal = try await alice.login()
        #expect(refusal.status == 400 && refusal.apiError?.code == .secondFactorRequired)
        // What confirmed it is used up.
        #expect(try await alice.login(otp: right.otp).apiError?.code == .wrongCode)
        relay.advance(seconds: 30)
        #expect(try await alice.login(otp: code(token, relay)).status == 200)
        await relay.server.stop()
    }

    @Test("nothing tells of it before handle, password and device are right")
    func noOracle() async throws {
        let relay = try unlimited()
        let alice = try await Person("alice", on: relay)
        let bob = try await Person("bob", on: relay)
        let (token, recovery) = try await alice.takeSecondFactor()
        relay.advance(seconds: 60)
        let unknown = alice.loginRequest(as: "nobody")
        let expected = try await relay.ask(unknown)
        let wrong = SecureRandom.data(count: 32)
        let before = try relay.dump()
        for (otp, spare) in [(nil, nil), (code(token, relay), nil), ("000000", nil), (nil, recovery[0])] {
            for person in [alice, bob] {
                for request in [
                    person.loginRequest(authenticator: wrong, otp: otp, recoveryCode: spare),
                    person.loginRequest(keys: DeviceKeys(), otp: otp, recoveryCode: spare),
                ] {
                    let answer = try await relay.ask(request)
                    #expect(answer.body == expected.body && answer.status == expected.status)
                }
            }
        }
        #expect(try relay.dump() == before)
        // Nothing of it was used up.
        #expect(try await alice.login(otp: code(token, relay)).status == 200)
        #expect(try await alice.login(recoveryCode: recovery[0]).status == 200)
        for (otp, spare) in [
            ("12345", nil), ("1234567", nil), ("12345x", nil), ("１２３", nil), ("123456", "x"),
        ] {
            #expect(try await alice.login(otp: otp, recoveryCode: spare).apiError?.code == .badRequest)
        }
        await relay.server.stop()
    }

    @Test("of many logins at once with one code, one begins a session")
    func sameCode() async throws {
        let relay = try unlimited()
        let alice = try await Person("alice", on: relay)
        let (token, _) = try await alice.takeSecondFactor()
        let phones = [try await other(alice, token), try await other(alice, token)]
        relay.advance(seconds: 30)
        let otp = code(token, relay)
        let codes = try await withThrowingTaskGroup(of: APIErrorCode?.self) { group in
            for turn in 0..<8 {
                group.addTask { try await ([alice] + phones)[turn % 3].login(otp: otp).apiError?.code }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(codes.count { $0 == nil } == 1)
        #expect(codes.allSatisfy { $0 == nil || $0 == .wrongCode || $0 == .rateLimited })
        await relay.server.stop()
    }

    private func other(_ person: Person, _ token: OneTimePassword) async throws -> Person {
        var other = person
        other.keys = DeviceKeys()
        let (account, device, key) = (person.account, other.device, other.keys.signing.publicKey.rawRepresentation)
        let result: Result<Void, APIError> = await person.relay.change { facts, _ in
            facts.put(DeviceFact(key: [UInt8](key)), at: MailboxAddress(account: account, device: device))
            return .success(())
        }
        try result.get()
        return other
    }

    @Test("a code that was committed and not answered is used up, also for a relay that was started anew")
    func usedUp() async throws {
        let folder = try TemporaryFolder()
        let relay = try unlimited(folder)
        let alice = try await Person("alice", on: relay)
        let (token, _) = try await alice.takeSecondFactor()
        relay.advance(seconds: 30)
        let otp = code(token, relay)
        #expect(try await alice.login(otp: otp).status == 200)
        await relay.server.stop()
        let second = try unlimited(folder)
        second.advance(seconds: 30)
        #expect(try await second.ask(alice.loginRequest(time: second.now, otp: otp)).apiError?.code == .wrongCode)
        await second.server.stop()
    }

    @Test("wrong codes shut out codes, also over a restart; a recovery code gets the owner in, once")
    func lockout() async throws {
        let folder = try TemporaryFolder()
        var relay = try unlimited(folder)
        let alice = try await Person("alice", on: relay)
        let (token, recovery) = try await alice.takeSecondFactor()
        relay.advance(seconds: 60)
        for _ in 0..<SecondFactor.freeFailures {
            #expect(try await alice.login(otp: wrongCode(token, relay)).apiError?.code == .wrongCode)
        }
        let answer = try await alice.login(otp: code(token, relay))
        #expect(answer.status == 429 && answer.apiError?.code == .rateLimited)
        #expect((1...30).contains(try #require(answer.apiError?.number)))
        await relay.server.stop()
        relay = try unlimited(folder)
        relay.advance(seconds: 60)
        let again = Person(alice, on: relay)
        #expect(try await again.login(otp: code(token, relay)).apiError?.code == .rateLimited)
        #expect(try await again.login(recoveryCode: recovery[3].uppercased()).status == 200)
        #expect(try await again.login(recoveryCode: recovery[3]).apiError?.code == .wrongCode)
        #expect(try await again.login(recoveryCode: "aaaa-bbbb-cccc-dddd").apiError?.code == .wrongCode)
        // Recovery codes neither shorten nor lengthen the wait.
        #expect(try await again.login(otp: code(token, relay)).apiError?.code == .rateLimited)
        relay.advance(seconds: 31)
        var owner = again
        try await owner.logIn(otp: code(token, relay))
        let state: SecondFactorState = try await owner.ask(.get, Routes.secondFactor.path).value()
        #expect(state.recoveryCodes == 9)
        await relay.server.stop()
    }

    @Test("codes are few in a minute, and recovery codes are counted apart")
    func rates() async throws {
        let relay = try TestRelay { $0.rateClock = { 1 << 60 } }
        let alice = try await Person("alice", on: relay)
        let (token, recovery) = try await alice.takeSecondFactor()
        // One was taken to confirm. What is refused by the bucket is not looked at, and counts as no failure.
        var last: APIErrorCode?
        for _ in 0..<RateRule.code.rate.burst {
            relay.advance(seconds: 3600)
            last = try await alice.login(otp: wrongCode(token, relay)).apiError?.code
        }
        #expect(last == .rateLimited)
        #expect(try await alice.login(otp: code(token, relay)).apiError?.code == .rateLimited)
        #expect(try await alice.login(recoveryCode: recovery[0]).status == 200)
        for _ in 1..<RateRule.recovery.rate.burst {
            #expect(try await alice.login(recoveryCode: recovery[0]).apiError?.code == .wrongCode)
        }
        #expect(try await alice.login(recoveryCode: recovery[1]).apiError?.code == .rateLimited)
        await relay.server.stop()
    }

    @Test("removing it, another password and deletion take a code beside the password")
    func demanded() async throws {
        let relay = try unlimited()
        let alice = try await Person("alice", on: relay)
        let none = try await alice.ask(Routes.removeSecondFactor.at(), alice.proof(.secondFactorRemoval))
        #expect(none.status == 409 && none.apiError?.code == .noSecondFactor)
        let (token, recovery) = try await alice.takeSecondFactor()
        let new = SecureRandom.data(count: 32)
        let before = try relay.dump()
        for purpose in [.secondFactorRemoval, .deletion] as [DeviceProof.Purpose] {
            func ask(_ proof: AccountProof) async throws -> HTTPResponse {
                guard purpose == .deletion else { return try await alice.ask(Routes.removeSecondFactor.at(), proof) }
                return try await alice.ask(Routes.deleteAccount.at(), alice.deletion(proof))
            }
            #expect(try await ask(alice.proof(purpose)).apiError?.code == .secondFactorRequired)
            let wrong = alice.proof(purpose, otp: wrongCode(token, relay))
            #expect(try await ask(wrong).apiError?.code == .wrongCode)
            let stranger = alice.proof(purpose, keys: DeviceKeys(), otp: code(token, relay))
            #expect(try await ask(stranger).apiError?.code == .wrongCredentials)
        }
        let change = PasswordRequest(proof: alice.proof(.password, presenting: new), authenticator: new)
        #expect(try await alice.ask(Routes.changePassword.at(), change).apiError?.code == .secondFactorRequired)
        #expect(try relay.dump() == before)

        let proof = alice.proof(.password, presenting: new, recoveryCode: recovery[0])
        #expect(
            try await alice.ask(Routes.changePassword.at(), PasswordRequest(proof: proof, authenticator: new)).status
                == 204
        )
        relay.advance(seconds: 60)
        let removal = alice.proof(.secondFactorRemoval, authenticator: new, otp: code(token, relay))
        #expect(try await alice.ask(Routes.removeSecondFactor.at(), removal).status == 204)
        #expect(try await alice.login(authenticator: new).status == 200)
        await relay.server.stop()
    }

    @Test("oathtool's codes are accepted", .enabled(if: Program.areExpected(["oathtool"], from: "oathtool")))
    func oathtool() async throws {
        let relay = try unlimited()
        let alice = try await Person("alice", on: relay)
        let secret: SecondFactorSecret = try await alice.ask(Routes.takeSecondFactor.at(), alice.proof(.secondFactor))
            .value()
        func code() throws -> String {
            let hexadecimal = secret.secret.map { String(format: "%02x", $0) }.joined()
            let result = try Program.run(
                "oathtool",
                ["--totp", "--now", "@\(relay.now)", "-"],
                input: hexadecimal + "\n"
            )
            return result.output.trimmingCharacters(in: .whitespacesAndNewlines)
        }
        #expect(
            try await alice.ask(Routes.confirmSecondFactor.at(), ConfirmSecondFactorRequest(otp: code())).status == 200
        )
        relay.advance(seconds: 30)
        let otp = try code()
        #expect(try await alice.login(otp: otp).status == 200)
        #expect(try await alice.login(otp: otp).apiError?.code == .wrongCode)
        await relay.server.stop()
    }

    @Test("neither secret nor recovery code lies in the data folder but for the sealed ones, nor in what is logged")
    func atRest() async throws {
        let relay = try unlimited()
        let alice = try await Person("alice", on: relay)
        let secret: SecondFactorSecret = try await alice.ask(Routes.takeSecondFactor.at(), alice.proof(.secondFactor))
            .value()
        let token = try OneTimePassword(secret: SymmetricKey(data: secret.secret))
        let confirmation = ConfirmSecondFactorRequest(otp: code(token, relay))
        let codes: RecoveryCodes = try await alice.ask(Routes.confirmSecondFactor.at(), confirmation).value()
        relay.advance(seconds: 60)
        #expect(try await alice.login(recoveryCode: codes.codes[0]).status == 200)
        await relay.server.stop()
        let plain = [UInt8](secret.secret)
        let needles =
            [plain, Array(Base32.encode(plain).utf8), Array(Base32.encode(plain).uppercased().utf8)]
            + codes.codes.flatMap { [Array($0.utf8), (try? Base32.decode($0.replacing("-", with: ""))) ?? []] }
        for name in try FileManager.default.contentsOfDirectory(atPath: relay.folder.path + "/data") {
            guard let bytes = FileManager.default.contents(atPath: relay.folder.path + "/data/" + name) else {
                continue
            }
            for needle in needles { #expect(bytes.range(of: Data(needle)) == nil, "\(name)") }
        }
        let lines = relay.lines.withLock { $0.joined() }
        for code in codes.codes { #expect(!lines.contains(code)) }
    }

    @Test("a secret under an older key opens, and is sealed anew under the newest when it is used")
    func rotation() async throws {
        let relay = try unlimited()
        let alice = try await Person("alice", on: relay)
        let (token, _) = try await alice.takeSecondFactor()
        let old = relay.server.parts.secrets.codeKeys
        let rotated = CodeKeys(
            older: old.all,
            newest: .init(id: old.newest.id + 1, key: SymmetricKey(size: .bits256))
        )
        let others = CodeKeys(newest: .init(id: 9, key: SymmetricKey(size: .bits256)))
        let address = MailboxAddress(account: alice.account, device: alice.device)
        func demand(_ keys: CodeKeys) async -> Result<Void, APIError> {
            relay.advance(seconds: 30)
            let otp = code(token, relay)
            let check = FactorCheck(address: address, presented: .code(otp), keys: keys)
            return await relay.change { facts, now throws(Missing) in try check.judge(&facts, at: now) }
        }
        func key() throws -> String? { try relay.allRows().rows.first { $0.kind == "factor" }?.columns[1] }
        #expect(try key() == "1")
        try await demand(rotated).get()
        #expect(try key() == "2")
        try await demand(rotated).get()
        // Without the key nobody is let in, and the relay goes on.
        guard case .failure(let error) = await demand(others) else { throw CancellationError() }
        #expect(error.code == .internalError)
        #expect(relay.server.parts.commits.canStore)
        await relay.server.stop()
    }
}

extension Person {
    /// The same person, at a relay that was started anew.
    fileprivate init(_ other: Person, on relay: TestRelay) {
        self.init(
            PersonRequest(
                account: other.account,
                keys: other.keys,
                identity: other.identity,
                body: RegisterRequest(
                    handle: other.handle,
                    authenticator: other.authenticator,
                    bundle: other.bundle,
                    time: 0,
                    signature: Data()
                )
            ),
            tokens: other.tokens,
            relay: relay
        )
    }
}
