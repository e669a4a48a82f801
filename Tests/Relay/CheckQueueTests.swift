import MildamIdentity
import MildamRelayAPI
import MildamSystem
import TestSupport
import Testing

@testable import MildamRelay
@testable import MildamTransport

@Suite("Signatures are looked at in turn, apart from reads", .timeLimit(.minutes(2)))
struct CheckQueueTests {
    private func stranger(_ ip: String, _ client: ClientPresence? = nil) throws -> Turn {
        Turn(payer: Payer(try #require(.init(ip: ip, port: 1))), client: client)
    }

    /// What was checked while the thread was held, in order, and what was not.
    private func checked(_ leave: (_ one: (String, Turn, _ weight: Int) -> Void) throws -> Void) throws -> [String] {
        let queue = try CheckQueue { work in work() }
        let gate = queue.hold()
        let order = Lock<[String]>([])
        try leave { name, turn, weight in
            queue.perform(for: turn, weight: weight) {
                .success(name)
            } then: { result in
                let line =
                    switch result {
                    case .success(let name): name
                    case .failure(let error): "\(name) \(error.code.rawValue)"
                    }
                order.withLock { $0.append(line) }
            }
        }
        gate.give(())
        queue.stop()
        return order.withLock { $0 }
    }

    @Test("a network that sends many lets another, and an account, wait for one")
    func turns() throws {
        let order = try checked { leave in
            for host in 0..<50 { leave("loud", try stranger("192.0.2.\(host)"), 0) }
            leave("newcomer", try stranger("198.51.100.1"), 0)
            leave("member", Turn(.random()), 0)
        }
        #expect(order == ["loud", "newcomer", "member"] + Array(repeating: "loud", count: 49))
    }

    @Test("who has a full share is refused, and nobody else")
    func share() throws {
        let order = try checked { leave in
            for _ in 0..<20 { leave("loud", try stranger("192.0.2.1"), 1 << 20) }
            leave("newcomer", try stranger("198.51.100.1"), 1 << 20)
        }
        #expect(order.prefix(5) == Array(repeating: "loud unavailable", count: 5)[...], "at once")
        #expect(order.filter { $0 == "loud" }.count == 15)
        #expect(order.filter { $0 == "newcomer" }.count == 1)
    }

    @Test("nothing is worked out for those who are gone")
    func gone() throws {
        let client = ClientPresence()
        client.note(.gone)
        let order = try checked { leave in
            for _ in 0..<3 { leave("gone", try stranger("192.0.2.1", client), 0) }
            leave("newcomer", try stranger("198.51.100.1"), 0)
        }
        #expect(order.sorted() == Array(repeating: "gone unavailable", count: 3) + ["newcomer"])
    }

    @Test("whoever is connected reads on while signatures wait")
    func apart() async throws {
        let relay = try TestRelay()
        let alice = try await Person("alice", on: relay)
        let checks = relay.server.parts.checks
        let gate = checks.hold()
        let request = alice.loginRequest()
        let login = Task { try await relay.ask(request).status }
        let registration = try Person.registration("bob", relay: relay.server.relay)
        let other = Task { try await relay.ask(Routes.register.at(), registration.body).status }
        #expect(await eventually { checks.backlog == 2 })
        #expect(try await alice.ask(.get, "/v1/rooms").status == 200)
        #expect(try await relay.ask(.get, "/v1/login/alice").status == 200)
        gate.give(())
        #expect(try await login.value == 200)
        #expect(try await other.value == 201)
        await relay.server.stop()
    }
}
