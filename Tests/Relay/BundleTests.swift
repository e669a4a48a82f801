import Foundation
import MildamIdentity
import MildamRelayAPI
import MildamStorage
import MildamTransport
import Testing

@testable import MildamRelay

@Suite("Records of accounts by their ids")
struct BundleTests {
    private func ask(_ person: Person, _ accounts: [AccountID]) async throws -> HTTPResponse {
        try await person.ask(Routes.bundles.at(), AccountQuery(accounts: accounts))
    }

    @Test("each is answered in its place, as it is by its handle, and one that is not there with nothing")
    func answers() async throws {
        let relay = try TestRelay()
        let (alice, bob) = (try await Person("alice", on: relay), try await Person("bob", on: relay))
        let nobody = AccountID.random()
        let answer = try await ask(alice, [bob.account, nobody, alice.account])
        #expect(answer.status == 200 && answer.fields["Content-Type"] == "application/json")
        let found = try answer.value(AccountAnswers.self).accounts
        #expect(found.map(\.account) == [bob.account, nobody, alice.account])
        #expect(found.map { $0.bundle == nil } == [false, true, false] && found.allSatisfy { $0.closing == nil })
        let byHandle = try await alice.ask(.get, Routes.account.at(bob.handle).path)
        #expect(HTTPResponse.json(found[0].bundle).body == byHandle.body)
        #expect(try await relay.ask(Routes.bundles.at(), AccountQuery(accounts: [bob.account])).status == 401)
        await relay.server.stop()
    }

    @Test("1 to 100, each once: anything else is refused")
    func refusals() async throws {
        let relay = try TestRelay()
        let alice = try await Person("alice", on: relay)
        let many = (0..<Limits.queriedAccounts).map { _ in AccountID.random() }
        #expect(try await ask(alice, many).value(AccountAnswers.self).accounts.count == Limits.queriedAccounts)
        for accounts in [[], many + [.random()], [alice.account, alice.account]] {
            #expect(try await ask(alice, accounts).apiError?.code == .badRequest)
        }
        for text in ["", "{}", "[]", #"{"accounts":{}}"#, #"{"accounts":["x"]}"#, #"{"accounts":[1]}"#] {
            let answer = try await alice.ask(.post, Routes.bundles.path, body: Array(text.utf8))
            #expect(answer.apiError?.code == .badRequest, "\(text)")
        }
        await relay.server.stop()
    }

    @Test("each counts as if it were asked for alone")
    func rate() async throws {
        let relay = try TestRelay { $0.rateClock = { 60_000_000_000 } }
        let alice = try await Person("alice", on: relay)
        let many = (0..<Limits.queriedAccounts).map { _ in AccountID.random() }
        let whole = Int(RateRule.reading.rate.burst) / Limits.queriedAccounts
        for _ in 0..<whole { #expect(try await ask(alice, many).status == 200) }
        #expect(try await ask(alice, many).apiError?.code == .rateLimited)
        await relay.server.stop()
    }

    @Test("an answer is no longer than a page; what is missing is asked for again")
    func bounded() async throws {
        let relay = try TestRelay()
        let alice = try await Person("alice", on: relay)
        // Valid JSON, and as long as an account's records may be.
        let padding = String(repeating: "x", count: Limits.accountBody - 20)
        let bundle = Array(#"{"padding":"\#(padding)"}"#.utf8)
        var people: [Person] = []
        for name in ["bobby", "carol", "david", "erica", "frank"] {
            let person = try await Person(name, on: relay)
            let stored: Result<Void, APIError> = await relay.change { facts, _ throws(Missing) in
                facts.set(bundle: bundle, of: person.account, replacing: try facts.bundle(of: person.account) ?? [])
                return .success(())
            }
            try stored.get()
            people.append(person)
        }
        let accounts = people.map(\.account)
        let found = try await relay.read { reader throws(StorageError) in try reader.records(of: accounts) }
        #expect(found.map(\.account) == Array(accounts.prefix(4)))
        let rest = try await relay.read { reader throws(StorageError) in try reader.records(of: [accounts[4]]) }
        #expect(rest.map(\.account) == [accounts[4]])
        let answer = try await ask(alice, accounts)
        #expect(answer.status == 200 && answer.body.count <= Limits.pageBytes + 4 * 64 + 32)
        await relay.server.stop()
    }
}
