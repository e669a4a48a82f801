import Foundation
import MildamCrypto
import MildamIdentity
import MildamRelayAPI
import MildamStorage
import MildamTransport
import Testing

@testable import MildamRelay

@Suite("Another password over HTTP")
struct PasswordTests {
    private let new = SecureRandom.data(count: 32)

    private func request(_ person: Person) -> PasswordRequest {
        PasswordRequest(proof: person.proof(.password, presenting: new), authenticator: new)
    }

    @Test("the new one logs in, the old one does not, other sessions are over, and the caller's goes on")
    func changed() async throws {
        let relay = try TestRelay()
        let alice = try await Person("alice", on: relay)
        let phone = try await alice.onAnotherDevice()
        let request = request(alice)
        #expect(try await alice.ask(Routes.changePassword.at(), request).status == 204)
        #expect(try await phone.ask(.get, "/v1/rooms").status == 401)
        #expect(try await phone.refresh(phone.tokens.refresh).apiError?.code == .sessionEnded)
        #expect(try await alice.ask(.get, "/v1/rooms").status == 200)
        #expect(try await alice.refresh(alice.tokens.refresh).status == 200)
        // The answer was lost, and it comes again.
        let before = try relay.dump()
        #expect(try await alice.ask(Routes.changePassword.at(), request).status == 204)
        #expect(try relay.dump() == before)
        #expect(try await phone.login().apiError?.code == .wrongCredentials)
        #expect(try await phone.login(authenticator: new).status == 200)
        await relay.server.stop()
    }

    @Test("without the old one, the device's key, or a signature over just this, nothing changes")
    func refused() async throws {
        let relay = try TestRelay()
        let alice = try await Person("alice", on: relay)
        let other = SecureRandom.data(count: 32)
        let before = try relay.dump()
        let proofs = [
            alice.proof(.password, presenting: new, authenticator: other), alice.proof(.password),
            alice.proof(.password, presenting: other), alice.proof(.password, presenting: new, keys: DeviceKeys()),
            alice.proof(.renewal), alice.proof(.deletion, presenting: new), alice.proof(.secondFactor, presenting: new),
            alice.proof(.secondFactorRemoval, presenting: new),
            alice.proof(.password, presenting: new, time: relay.now - 700),
            alice.proof(.password, presenting: new, time: .max),
        ]
        for proof in proofs {
            let answer = try await alice.ask(
                Routes.changePassword.at(),
                PasswordRequest(proof: proof, authenticator: new)
            )
            #expect(answer.status == 401 && answer.apiError?.code == .wrongCredentials)
        }
        var long = request(alice)
        long.authenticator.append(1)
        #expect(try await alice.ask(Routes.changePassword.at(), long).apiError?.code == .badRequest)
        var short = request(alice)
        short.proof.signature.removeLast()
        #expect(try await alice.ask(Routes.changePassword.at(), short).apiError?.code == .badRequest)
        #expect(try await relay.ask(Routes.changePassword.at(), request(alice)).apiError?.code == .unauthorized)
        #expect(try relay.dump() == before)
        await relay.server.stop()
    }

    @Test("a login that was right before the password or the key changed, or the account went, begins no session after")
    func race() async throws {
        let relay = try TestRelay()
        let alice = try await Person("alice", on: relay)
        let phone = try await alice.onAnotherDevice()
        func checked() async throws -> CheckedLogin {
            let (handle, device) = (phone.handle, phone.device)
            let row = try await relay.read { reader throws(StorageError) in
                let row = try reader.login(handle, device)
                return row.flatMap { row in
                    row.device.map {
                        CheckedLogin(
                            address: MailboxAddress(account: row.account, device: $0.id),
                            verifier: row.verifier,
                            key: $0.key
                        )
                    }
                }
            }
            return try #require(row)
        }
        func begin(_ login: CheckedLogin) async -> Result<Void, APIError> {
            let family = RefreshFamily(session: .random(), first: [1], at: relay.now)
            let check = relay.server.parts.check(nil, of: login.address)
            let operation = LogIn(login: login, family: family, thumbprint: nil, factor: check)
            return await relay.change { facts, now throws(Missing) in try operation.judge(&facts, at: now) }
        }
        func isRefused(_ result: Result<Void, APIError>) -> Bool {
            if case .failure(let error) = result { error.code == .wrongCredentials } else { false }
        }
        let early = try await checked()
        #expect(await !isRefused(begin(early)))
        #expect(try await alice.ask(Routes.changePassword.at(), request(alice)).status == 204)
        #expect(await isRefused(begin(early)))
        let late = try await checked()
        let address = MailboxAddress(account: phone.account, device: phone.device)
        let key = DeviceKeys().signing.publicKey.rawRepresentation
        let renewed: Result<Void, APIError> = await relay.change { facts, _ in
            facts.put(DeviceFact(key: [UInt8](key)), at: address)
            return .success(())
        }
        try renewed.get()
        #expect(await isRefused(begin(late)))
        let last = try await checked()
        let removal = AccountRemoval(account: address.account) { "gone:\($0)" }
        let deleted: Result<Void, APIError> = await relay.change { facts, now throws(Missing) in
            try removal.perform(&facts, at: now)
            return .success(())
        }
        try deleted.get()
        #expect(await isRefused(begin(last)))
        await relay.server.stop()
    }

    @Test("guesses are counted for the account's own devices alone: nobody else learns of it, or locks the owner out")
    func guesses() async throws {
        // The clock of the rates stands still.
        let relay = try TestRelay {
            $0.rateClock = { 1 << 60 }
            $0.behindProxy = true
        }
        let alice = try await Person("alice", on: relay)
        let wrong = SecureRandom.data(count: 32)
        func login(_ request: TokenRequest, from address: String) async throws -> HTTPResponse {
            try await relay.ask(request, fields: ["X-Forwarded-For": address])
        }
        let burst = Int(RateRule.password.rate.burst)
        let unknown = alice.loginRequest(authenticator: wrong, as: "nobody")
        for turn in 0...burst {
            // A stranger with the right password and no key of the account's.
            let stranger = alice.loginRequest(keys: DeviceKeys())
            #expect(try await login(stranger, from: "192.0.2.\(turn)").apiError?.code == .wrongCredentials)
            #expect(try await login(unknown, from: "192.0.2.\(turn)").apiError?.code == .wrongCredentials)
        }
        #expect(try await login(alice.loginRequest(), from: "198.51.100.1").status == 200)
        for _ in 1..<burst {
            let guess = alice.loginRequest(authenticator: wrong)
            #expect(try await login(guess, from: "198.51.100.1").apiError?.code == .wrongCredentials)
        }
        // From wherever it comes, whatever the password, and for whatever it is shown.
        for request in [alice.loginRequest(authenticator: wrong), alice.loginRequest()] {
            #expect(try await login(request, from: "203.0.113.1").apiError?.code == .rateLimited)
        }
        await relay.server.stop()
    }
}
