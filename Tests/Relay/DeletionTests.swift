import Foundation
import MildamCrypto
import MildamIdentity
import MildamMLS
import MildamRelayAPI
import MildamTransport
import MildamWire
import TestSupport
import Testing

@testable import MildamRelay

@Suite("Deleting an account over HTTP", .timeLimit(.minutes(2)))
struct DeletionTests {
    private func delete(_ person: Person) async throws -> HTTPResponse {
        try await person.ask(Routes.deleteAccount.at(), person.deletion())
    }

    /// How many rows of a kind name an account.
    private func rows(_ kind: String, _ person: Person) throws -> Int {
        let account = StoreDump.literal(person.account.bytes)
        return try person.relay.allRows().rows.count { $0.kind == kind && $0.columns.contains(account) }
    }

    @Test("sessions, devices, mailbox, second factor, log and handle go; what was written stays for the others")
    func deleted() async throws {
        let relay = try TestRelay()
        let (guest, host) = (try await GroupMember("alice", on: relay), try await GroupMember("bob", on: relay))
        let (alice, bob) = (guest.person, host.person)
        let phone = try await alice.onAnotherDevice()
        let room = RoomID.random()
        var group = try host.group(room)
        #expect(try await host.create(room, group).status == 201)
        #expect(try await host.add(guest, to: room, &group).status == 201)
        // The relay cannot see that it is not hers.
        #expect(try await guest.say("mine", in: &group, room, epoch: 1).status == 201)
        _ = try await alice.takeSecondFactor()
        let known = StandingRequest(account: bob.account, standing: .known)
        #expect(try await alice.ask(Routes.putStanding.at(.random()), known).status == 204)
        let link = LinkRequest(expires: relay.now + 60)
        #expect(try await alice.ask(Routes.putLink.at(.random()), link).status == 204)
        #expect(try rows("standing", alice) == 1 && rows("link", alice) == 1 && rows("share", alice) == 1)
        var socket = try await Socket(phone)
        let unknown = alice.loginRequest(as: "nobody")
        // A second factor is asked for.
        #expect(try await delete(alice).apiError?.code == .secondFactorRequired)
        let recovery = try await recoveryCode(of: alice)
        let proof = alice.proof(.deletion, recoveryCode: recovery)
        #expect(try await alice.ask(Routes.deleteAccount.at(), alice.deletion(proof)).status == 204)

        #expect(try rows("account", alice) == 1)
        #expect(try await socket.next() == nil)
        for person in [alice, phone] {
            #expect(try await person.ask(.get, "/v1/rooms").status == 401)
            #expect(try await person.refresh(person.tokens.refresh).apiError?.code == .sessionEnded)
            let login = try await person.login()
            #expect(login.body == (try await relay.ask(unknown)).body && login.status == 400)
        }
        #expect(try await bob.ask(.get, "/v1/accounts/alice").apiError?.code == .unknownAccount)
        #expect(try rows("device", alice) == 0)
        #expect(try rows("mailbox", alice) == 0)
        #expect(try rows("session", alice) == 0)
        #expect(try rows("factor", alice) == 0)
        #expect(try rows("recovery", alice) == 0)
        #expect(try rows("audit", alice) == 0)
        #expect(try rows("member", alice) == 0)
        #expect(try rows("standing", alice) == 0 && rows("link", alice) == 0 && rows("share", alice) == 0)
        #expect(try relay.dump().allSatisfy { !$0.contains("alice") })

        let state = try await bob.state(of: room)
        #expect(state.members == [bob.account])
        let page: MessagePage = try await bob.ask(.get, Routes.messages.at(room, query: 1).text).value()
        #expect(page.messages.map(\.account) == [bob.account, alice.account])
        await relay.server.stop()
    }

    /// Gives the account a recovery code that the test knows.
    private func recoveryCode(of person: Person) async throws -> String {
        let (account, code) = (person.account, RecoveryCode.random())
        let verifier = code.verifier
        let result: Result<Void, APIError> = await person.relay.change { facts, _ in
            facts.add(verifier, to: account)
            return .success(())
        }
        try result.get()
        return code.text
    }

    @Test("nobody takes the handle or the id again, and the database alone does not tell whose they were")
    func reserved() async throws {
        let folder = try TemporaryFolder()
        let relay = try TestRelay(folder: folder)
        let request = try Person.registration("alice", relay: relay.server.relay)
        let tokens: SessionTokens = try await relay.ask(Routes.register.at(), request.body).value()
        let alice = Person(request, tokens: tokens, relay: relay)
        #expect(try await delete(alice).status == 204)
        // The very request, another's of the name, and another name with the id.
        #expect(try await relay.ask(Routes.register.at(), request.body).apiError?.code == .handleTaken)
        let other = try Person.registration("alice", relay: relay.server.relay)
        #expect(try await relay.ask(Routes.register.at(), other.body).apiError?.code == .handleTaken)
        let sameID = try Person.registration("carol", relay: relay.server.relay, account: alice.account)
        #expect(try await relay.ask(Routes.register.at(), sameID.body).apiError?.code == .badIdentity)
        // Another relay's digest of the handle is another.
        let (one, two) = (RelaySecrets(at: 1), RelaySecrets(at: 1))
        let handle = try Handle("alice")
        #expect(one.tombstone(of: handle) == one.tombstone(of: handle))
        #expect(one.tombstone(of: handle) != two.tombstone(of: handle))
        #expect(one.tombstone(of: handle) != one.tombstone(of: try Handle("bob")))
        #expect(throws: (any Error).self) { try Handle(one.tombstone(of: handle)) }
        // A token may outlive its account in a relay that was started anew, and does nothing.
        await relay.server.stop()
        let second = try TestRelay(folder: folder)
        let room = try LoneRoom(of: alice)
        let place = Routes.createGroup.at(room.id).text
        let answer = try await second.ask(.put, place, token: alice.token, body: room.creation.wireBytes)
        #expect(answer.apiError?.code == .unauthorized)
        #expect(try await second.ask(.get, Routes.mailbox.path + "?from=1", token: alice.token).status == 401)
        await second.server.stop()
    }

    @Test("when the last member goes, so does all that lies in the room")
    func lastMember() async throws {
        let relay = try TestRelay()
        let alice = try await Person("alice", on: relay)
        let room = try await alice.makeRoom()
        for _ in 0..<3 { _ = try await alice.say("mine", in: room) }
        #expect(try await delete(alice).status == 204)
        #expect(try relay.dump().allSatisfy { !$0.hasPrefix("message") && !$0.hasPrefix("member") })
        await relay.server.stop()
    }

    @Test("a long mailbox goes in steps, also when the relay is stopped in between")
    func longMailbox() async throws {
        let folder = try TemporaryFolder()
        let relay = try TestRelay(folder: folder)
        let alice = try await Person("alice", on: relay)
        let address = MailboxAddress(account: alice.account, device: alice.device)
        let room = RoomID.random()
        let filled: Result<Void, APIError> = await relay.change { facts, _ throws(Missing) in
            for _ in 1...(3 * Portion.maxRows) {
                try facts.append(Data([1]), of: room, from: alice.account, isRequest: false, to: address)
            }
            return .success(())
        }
        try filled.get()
        #expect(try await delete(alice).status == 204)
        await relay.server.stop()
        let second = try TestRelay(folder: folder)
        _ = try await Person("bob", on: second)
        for _ in 0..<200 {
            let left = try second.dump().filter { $0.hasPrefix("mailbox") || $0.hasPrefix("device") }
            if left.count == 1 { break }
            try await Task.sleep(for: .milliseconds(10))
        }
        #expect(try second.dump().filter { $0.hasPrefix("mailbox") || $0.hasPrefix("device") }.count == 1)
        await second.server.stop()
    }

    @Test("an account that sends while it is deleted leaves a room without a gap, and no fault in the relay")
    func whileSending() async throws {
        let relay = try TestRelay()
        let (alice, bob) = (try await GroupMember("alice", on: relay), try await GroupMember("bob", on: relay))
        let room = RoomID.random()
        var own = try bob.group(room)
        #expect(try await bob.create(room, own).status == 201)
        #expect(try await bob.add(alice, to: room, &own).status == 201)
        let words = try own.protect([1]).wireBytes
        let codes = try await withThrowingTaskGroup(of: Int.self) { group in
            for turn in 0..<60 {
                group.addTask {
                    turn == 30
                        ? try await alice.person.ask(Routes.deleteAccount.at(), alice.person.deletion()).status
                        : try await alice.send(.application(words), to: room, epoch: 1).status
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(Set(codes).isSubset(of: [201, 204, 401, 403]) && codes.contains(204))
        let page: MessagePage = try await bob.person.ask(.get, Routes.messages.at(room, query: 1).text).value()
        #expect(page.messages.map(\.number) == Array(1..<page.next))
        #expect(page.messages.count == codes.count { $0 == 201 } + 1)
        #expect(try await bob.person.state(of: room).members == [bob.person.account])
        await relay.server.stop()
    }

    @Test("the end that its identity key has signed is served for ever in the account's place")
    func closings() async throws {
        let folder = try TemporaryFolder()
        let relay = try TestRelay(folder: folder)
        let (alice, bob) = (try await Person("alice", on: relay), try await Person("bob", on: relay))
        let carol = try await Person("carol", on: relay)
        let before = try relay.dump()
        for request in [
            alice.deletion(signedBy: bob.identity), alice.deletion(signedBy: alice.keys.signing),
            alice.deletion(of: bob.account), alice.deletion(on: .random()),
        ] {
            #expect(try await alice.ask(Routes.deleteAccount.at(), request).apiError?.code == .badIdentity)
        }
        // Without it there is no deletion.
        #expect(try await alice.ask(Routes.deleteAccount.at(), alice.proof(.deletion)).apiError?.code == .badRequest)
        #expect(try relay.dump() == before)
        let request = alice.deletion()
        #expect(try await alice.ask(Routes.deleteAccount.at(), request).status == 204)
        let removal = OperatorRemove(handle: carol.handle) { "gone:\($0.text)" }
        let removed: Result<OperatorAnswer, APIError> = await withCheckedContinuation { continuation in
            relay.server.parts.commits.perform(removal, for: .relay) { continuation.resume(returning: $0) }
        }
        _ = try removed.get()
        let query = AccountQuery(accounts: [alice.account, bob.account, carol.account])
        func asked(_ relay: TestRelay) async throws -> [AccountAnswer] {
            try await relay.ask(Routes.bundles.at(), token: bob.token, query).value(AccountAnswers.self).accounts
        }
        let answers = try await asked(relay)
        #expect(answers.map(\.account) == query.accounts && answers.map { $0.bundle != nil } == [false, true, false])
        #expect(answers.map(\.closing?.wireBytes) == [request.closing.wireBytes, nil, nil])
        #expect(try answers[0].closing?.verified(under: alice.identity.publicKey).account == alice.account)
        await relay.server.stop()
        let second = try TestRelay(folder: folder)
        #expect(try await asked(second).map { $0.closing != nil } == [true, false, false])
        await second.server.stop()
    }

    @Test("without password, key, or a signature for just this, nothing is deleted")
    func refused() async throws {
        let relay = try TestRelay()
        let alice = try await Person("alice", on: relay)
        let before = try relay.dump()
        for proof in [
            alice.proof(.deletion, authenticator: SecureRandom.data(count: 32)),
            alice.proof(.deletion, keys: DeviceKeys()), alice.proof(.renewal), alice.proof(.password),
            alice.proof(.secondFactor), alice.proof(.secondFactorRemoval),
            alice.proof(.deletion, time: relay.now + 700),
        ] {
            #expect(
                try await alice.ask(Routes.deleteAccount.at(), alice.deletion(proof)).apiError?.code
                    == .wrongCredentials
            )
        }
        #expect(try await relay.ask(Routes.deleteAccount.at(), alice.deletion()).apiError?.code == .unauthorized)
        #expect(try relay.dump() == before)
        await relay.server.stop()
    }
}
