import Foundation
import MildamRelayAPI
import MildamTransport
import TestSupport
import Testing

@testable import MildamRelay

@Suite("Who may make an account")
struct RegistrationTests {
    private func register(
        _ name: String,
        _ invitation: String? = nil,
        on relay: TestRelay,
        fields: HTTPFields = [:]
    ) async throws -> HTTPResponse {
        var request = try Person.registration(name, relay: relay.server.relay)
        request.body.invitation = invitation
        request.body.time = relay.now
        request = request.signed(for: relay.server.relay)
        let body = try [UInt8](JSONEncoder().encode(request.body))
        return try await relay.ask(.post, Routes.register.path, fields: fields, body: body)
    }

    private func mode(of relay: TestRelay) async throws -> RegistrationMode {
        try await relay.ask(.get, Routes.relay.path).value(RelayDescription.self).registration
    }

    @Test("by invitation: the first one is there from the start, each is good for one account, and none comes twice")
    func invite() async throws {
        let relay = try TestRelay { $0.registration = .invite }
        #expect(try await mode(of: relay) == .invite)
        let first = try #require(relay.server.firstInvitation)
        let refusal = try await register("alice", on: relay)
        #expect(refusal.status == 403 && refusal.apiError?.code == .invitationRequired)
        for wrong in ["", "nonsense", String(repeating: "a", count: 5_000), InvitationCode.random().text] {
            #expect(try await register("alice", wrong, on: relay).apiError?.code == .invitationRequired)
        }
        #expect(try await register("alice", first.uppercased(), on: relay).status == 201)
        #expect(try await register("bob", first, on: relay).apiError?.code == .invitationRequired)
        #expect(try await register("alice", on: relay).apiError?.code == .invitationRequired, "no handle is tried")
        let operatorOfIt = RelayOperator(dataFolder: relay.folder.path + "/data")
        guard case .invitations(let codes, let expires) = try operatorOfIt.perform(.invite(count: 2, days: 1)) else {
            Issue.record("no invitations")
            return
        }
        #expect(Set(codes).count == 2 && abs(expires - relay.now - 86_400) < 60)
        #expect(try await register("alice", codes[0], on: relay).apiError?.code == .handleTaken)
        #expect(try await register("bob", codes[0], on: relay).status == 201)
        let usages = try relay.allRows().rows.filter { $0.kind == "usage" }
        #expect(!usages.isEmpty && usages.allSatisfy { $0.columns.last == "NULL" }, "whoever is invited has no network")
        relay.advance(seconds: 86_401)
        #expect(try await register("carol", codes[1], on: relay).apiError?.code == .invitationRequired)
        let log = relay.lines.withLock { $0 }.joined(separator: "\n")
        #expect(!(codes + [first]).contains { log.contains($0) })
        await relay.server.stop()
        let again = try TestRelay(folder: relay.folder) { $0.registration = .invite }
        #expect(again.server.firstInvitation == nil, "it has accounts")
        await again.server.stop()
    }

    @Test("closed: nobody, whatever they show")
    func closed() async throws {
        let relay = try TestRelay { $0.registration = .closed }
        #expect(try await mode(of: relay) == .closed && relay.server.firstInvitation == nil)
        let refusal = try await register("alice", InvitationCode.random().text, on: relay)
        #expect(refusal.status == 403 && refusal.apiError?.code == .registrationClosed)
        await relay.server.stop()
    }

    @Test(
        "a relay that was told nothing is open to this machine, until it meets a proxy",
        arguments: ["X-Forwarded-For", "Forwarded", "Via"]
    )
    func proxy(_ field: String) async throws {
        let relay = try TestRelay { $0.registration = nil }
        #expect(try await mode(of: relay) == .open)
        #expect(try await register("alice", on: relay).status == 201)
        let forwarded: HTTPFields = [field: "192.0.2.1"]
        #expect(try await register("bob", on: relay, fields: forwarded).apiError?.code == .invitationRequired)
        #expect(try await mode(of: relay) == .invite)
        #expect(try await register("bob", on: relay).apiError?.code == .invitationRequired)
        _ = try await relay.ask(.get, Routes.relay.path, fields: forwarded)
        let said = relay.lines.withLock { $0 }.filter { $0.contains("by invitation from here on") }
        #expect(said.count == 1)
        await relay.server.stop()
    }

    @Test("what was told stays, and a relay that others reach asks for invitations")
    func defaults() async throws {
        let told = try TestRelay { $0.registration = .open }
        #expect(try await register("alice", on: told, fields: ["X-Forwarded-For": "192.0.2.1"]).status == 201)
        #expect(try await mode(of: told) == .open)
        await told.server.stop()
        let behind = try TestRelay {
            $0.registration = nil
            $0.behindProxy = true
        }
        #expect(try await mode(of: behind) == .invite && behind.server.firstInvitation != nil)
        await behind.server.stop()
        let named = try TestRelay {
            $0.registration = nil
            $0.publicURLs = ["https://chat.example"]
        }
        #expect(try await mode(of: named) == .invite)
        await named.server.stop()
        for (isLocal, mode) in [(true, RegistrationMode.open), (false, .invite)] {
            #expect(RegistrationGate(told: nil, isLocal: isLocal, log: .none).mode == mode)
            #expect(RegistrationGate(told: .closed, isLocal: isLocal, log: .none).mode == .closed)
        }
    }

    @Test("a code is read back however it is typed, and shows nothing of itself")
    func code() throws {
        let code = InvitationCode.random()
        #expect(InvitationCode(typed: code.text.uppercased().replacing("-", with: " "))?.digest == code.digest)
        #expect(code.text.count == 29 && "\(code)" == "an invitation")
        #expect(InvitationCode(typed: String(code.text.dropLast())) == nil && InvitationCode(typed: "") == nil)
    }
}
