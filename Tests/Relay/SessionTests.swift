import Foundation
import MildamCrypto
import MildamIdentity
import MildamJOSE
import MildamRelayAPI
import Testing

@testable import MildamRelay

@Suite("Accounts and sessions over HTTP")
struct SessionTests {
    @Test("registering twice with the same bytes is once; anybody else's is refused")
    func registration() async throws {
        let relay = try TestRelay()
        let request = try Person.registration("alice", relay: relay.server.relay)
        let first = try await relay.ask(Routes.register.at(), request.body)
        #expect(first.status == 201)
        let again = try await relay.ask(Routes.register.at(), request.body)
        #expect(again.status == 201)
        let sessions = try [first, again].map { try $0.value(SessionTokens.self).session }
        #expect(sessions[0] != sessions[1])
        #expect(try relay.dump().filter { $0.hasPrefix("account") }.count == 1)
        #expect(try relay.dump().filter { $0.hasPrefix("session") }.count == 1)

        var other = request
        other.body.authenticator = SecureRandom.data(count: 32)
        other = other.signed(for: relay.server.relay)
        #expect(try await relay.ask(Routes.register.at(), other.body).apiError?.code == .handleTaken)
        let stranger = try Person.registration("alice", relay: relay.server.relay)
        #expect(try await relay.ask(Routes.register.at(), stranger.body).apiError?.code == .handleTaken)
        let sameID = try Person.registration("bob", relay: relay.server.relay, account: request.account)
        #expect(try await relay.ask(Routes.register.at(), sameID.body).apiError?.code == .badIdentity)
        let sameDevice = try Person.registration("bob", relay: relay.server.relay, keys: request.keys)
        #expect(try await relay.ask(Routes.register.at(), sameDevice.body).apiError?.code == .badIdentity)
        await relay.server.stop()
    }

    @Test("the public records and the right authenticator register nobody, and log nobody in, without the device's key")
    func registrationProof() async throws {
        let relay = try TestRelay()
        let id = relay.server.relay
        let request = try Person.registration("alice", relay: id)
        #expect(try await relay.ask(Routes.register.at(), request.body).status == 201)
        let new = try Person.registration("bob", relay: id)
        let before = try relay.dump()
        for request in [request, new] {
            var early = request
            early.body.time -= 700
            var late = request
            late.body.time += 700
            for bad in [
                request.signed(for: id, by: DeviceKeys()), request.signed(for: id, .login),
                request.signed(for: id, .refresh), request.signed(for: .random()), early.signed(for: id),
                late.signed(for: id),
            ] {
                #expect(try await relay.ask(Routes.register.at(), bad.body).apiError?.code == .wrongCredentials)
            }
            var short = request.body
            short.signature.removeLast()
            #expect(try await relay.ask(Routes.register.at(), short).apiError?.code == .badRequest)
        }
        #expect(try relay.dump() == before)
        await relay.server.stop()
    }

    @Test("a device record that comes many times over is refused before its signatures are looked at")
    func manyRecords() async throws {
        let relay = try TestRelay()
        let request = try Person.registration("alice", relay: relay.server.relay)
        var body = request.body
        let good = body.bundle
        for count in [0, 2, 100] {
            body.bundle = AccountBundle(
                account: good.account,
                list: good.list,
                devices: (0..<count).flatMap { _ in good.devices }
            )
            #expect(try await relay.ask(Routes.register.at(), body).apiError?.code == .badIdentity)
        }
        #expect(try relay.dump().isEmpty)
        await relay.server.stop()
    }

    @Test("records that do not fit together are refused")
    func badIdentity() async throws {
        let relay = try TestRelay()
        let good = try Person.registration("alice", relay: relay.server.relay).body
        let other = try Person.registration("alice", relay: relay.server.relay).body
        let bundles = [
            try Person.registration("alice", relay: .random()).body.bundle,
            try Person.registration("bob", relay: relay.server.relay).body.bundle,
            try Person.registration("alice", relay: relay.server.relay, listNumber: 2).body.bundle,
            AccountBundle(account: good.bundle.account, list: other.bundle.list, devices: good.bundle.devices),
            AccountBundle(account: good.bundle.account, list: good.bundle.list, devices: other.bundle.devices),
            AccountBundle(account: good.bundle.account, list: good.bundle.list, devices: []),
        ]
        for bundle in bundles {
            var body = good
            body.bundle = bundle
            #expect(try await relay.ask(Routes.register.at(), body).apiError?.code == .badIdentity)
        }
        #expect(try relay.dump().isEmpty)
        await relay.server.stop()
    }

    @Test("a bundle is served as it was registered, to those who are logged in")
    func bundle() async throws {
        let relay = try TestRelay()
        let alice = try await Person("alice", on: relay)
        let bundle: AccountBundle = try await alice.ask(.get, "/v1/accounts/alice").value()
        let account = try bundle.verified(for: alice.handle, on: relay.server.relay, pin: nil, at: relay.now)
        #expect(account.record.account == alice.account)
        #expect(try await alice.ask(.get, "/v1/accounts/nobody").apiError?.code == .unknownAccount)
        #expect(try await relay.ask(.get, "/v1/accounts/alice").apiError?.code == .unauthorized)
        await relay.server.stop()
    }

    @Test("the login parameters of a handle are of one kind, and always the same, whether it exists or not")
    func parameters() async throws {
        let relay = try TestRelay()
        let before: LoginParameters = try await relay.ask(.get, "/v1/login/alice").value()
        _ = try await Person("alice", on: relay)
        let after: LoginParameters = try await relay.ask(.get, "/v1/login/alice").value()
        let other: LoginParameters = try await relay.ask(.get, "/v1/login/bob").value()
        #expect(before.salt == after.salt && after.salt.count == 32 && other.salt != after.salt)
        #expect(after.memory == 65_536 && after.passes == 3 && other.memory == 65_536)
        await relay.server.stop()
    }

    @Test("a login that is shown twice is refused, and the session that it began goes on; another one is taken")
    func loginShownTwice() async throws {
        let relay = try TestRelay()
        let alice = try await Person("alice", on: relay)
        let login = alice.loginRequest()
        let tokens: SessionTokens = try await relay.ask(login).value()
        for _ in 0..<2 {
            let again = try await relay.ask(login)
            #expect(again.status == 400 && again.apiError?.code == .wrongCredentials)
            // As long as it is of now.
            relay.advance(seconds: 100)
        }
        #expect(try await relay.ask(.get, "/v1/sessions", token: tokens.access).status == 200)
        #expect(try await relay.ask(alice.loginRequest()).status == 200)
        await relay.server.stop()
    }

    @Test("a login needs handle, authenticator, device and clock; which one is wrong is not said")
    func login() async throws {
        let relay = try TestRelay()
        let alice = try await Person("alice", on: relay)
        let bob = try await Person("bob", on: relay)
        let answer = try await relay.ask(alice.loginRequest())
        #expect(answer.status == 200)
        let tokens: SessionTokens = try answer.value()
        #expect(try await relay.ask(.get, "/v1/rooms", token: tokens.access).status == 200)
        // The device's earlier session is over.
        #expect(try await alice.refresh(alice.tokens.refresh).apiError?.code == .sessionEnded)

        let unknown = alice.loginRequest(as: "nobody")
        let others = alice.loginRequest(on: bob.device)
        let bad = [
            unknown, others, alice.loginRequest(keys: bob.keys),
            alice.loginRequest(authenticator: SecureRandom.data(count: 32)),
            alice.loginRequest(time: relay.now - 700), alice.loginRequest(time: relay.now + 700),
            alice.loginRequest(time: .min), alice.loginRequest(time: .max),
        ]
        let before = try relay.dump()
        var answers: Set<[UInt8]> = []
        for request in bad {
            let answer = try await relay.ask(request)
            #expect(answer.status == 400 && answer.apiError?.code == .wrongCredentials)
            answers.insert(answer.body)
        }
        #expect(answers.count == 1)
        #expect(try relay.dump() == before)
        await relay.server.stop()
    }

    @Test("a lost answer to a refresh can be asked for again; a token used after its successor ends the session")
    func refresh() async throws {
        let relay = try TestRelay()
        let alice = try await Person("alice", on: relay)
        let second: SessionTokens = try await alice.refresh(alice.tokens.refresh).value()
        #expect(second.session == alice.tokens.session && second.refresh != alice.tokens.refresh)
        relay.advance(seconds: 86_400)
        let repeated: SessionTokens = try await alice.refresh(alice.tokens.refresh).value()
        #expect(repeated.refresh == second.refresh)
        #expect(try await relay.ask(.get, "/v1/rooms", token: repeated.access).status == 200)
        let third: SessionTokens = try await alice.refresh(second.refresh).value()
        #expect(third.refresh != second.refresh)
        #expect(try await alice.refresh(alice.tokens.refresh).apiError?.code == .sessionEnded)
        // The family is gone, its newest token included.
        #expect(try await alice.refresh(third.refresh).apiError?.code == .sessionEnded)
        #expect(try relay.dump().filter { $0.hasPrefix("session") }.isEmpty)
        await relay.server.stop()
    }

    @Test("a refresh without the device's own signature, or with a wrong clock, does nothing to the session")
    func refreshBound() async throws {
        let relay = try TestRelay()
        let alice = try await Person("alice", on: relay)
        let before = try relay.dump()
        for request in [
            alice.refreshRequest(alice.tokens.refresh, keys: DeviceKeys()),
            alice.refreshRequest(alice.tokens.refresh, time: relay.now + 700),
            alice.refreshRequest(Data(count: 32), keys: DeviceKeys()),
        ] {
            #expect(try await relay.ask(request).apiError?.code == .wrongCredentials)
        }
        var stranger = alice
        stranger.tokens.session = .random()
        let unknown = stranger.refreshRequest(alice.tokens.refresh)
        #expect(try await relay.ask(unknown).apiError?.code == .sessionEnded)
        #expect(try relay.dump() == before)
        #expect(try await alice.refresh(alice.tokens.refresh).status == 200)
        await relay.server.stop()
    }

    @Test(
        "after logging out there is nothing to refresh, and the access token is refused at once; again is answered alike"
    )
    func logout() async throws {
        let relay = try TestRelay()
        let alice = try await Person("alice", on: relay)
        #expect(try await alice.ask(.delete, "/v1/sessions/current").status == 204)
        #expect(try await alice.ask(.delete, "/v1/sessions/current").status == 204)
        #expect(try await alice.refresh(alice.tokens.refresh).apiError?.code == .sessionEnded)
        let answer = try await alice.ask(.get, "/v1/rooms")
        #expect(
            answer.status == 401 && answer.fields["WWW-Authenticate"] == "Bearer realm=\"mildam\", DPoP algs=\"ES256\""
        )
        await relay.server.stop()
    }
}
