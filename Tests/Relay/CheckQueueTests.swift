import Dispatch
import MildamIdentity
import MildamRelayAPI
import MildamSystem
import MildamTransport
import Testing

@testable import MildamRelay

@Suite("Signatures are looked at in turns by address")
struct CheckQueueTests {
    /// Makes the thread wait until it is let go.
    private func hold(_ queue: CheckQueue, _ key: UInt64 = 0) -> DispatchSemaphore {
        let (begun, gate) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        queue.perform(from: key) {
            begun.signal()
            gate.wait()
            return .success(())
        } then: { (_: Result<Void, APIError>) in
        }
        begun.wait()
        return gate
    }

    @Test("who sends many lets a newcomer wait for one")
    func turns() throws {
        let queue = try CheckQueue { work in work() }
        let gate = hold(queue)
        let order = Lock<[Int]>([])
        func leave(_ number: Int, from key: UInt64) {
            queue.perform(from: key) {
                .success(number)
            } then: { result in
                if let number = try? result.get() { order.withLock { $0.append(number) } }
            }
        }
        for number in 0..<50 { leave(number, from: 1) }
        leave(-1, from: 2)
        #expect(queue.backlog == 51)
        gate.signal()
        queue.stop()
        #expect(order.withLock { $0 } == [0, -1] + Array(1..<50))
    }

    @Test("an address has a share, and what goes beyond is refused")
    func share() throws {
        let queue = try CheckQueue { work in work() }
        let gate = hold(queue)
        let answers = Lock<[Result<Int, APIError>]>([])
        func leave(from key: UInt64) {
            queue.perform(from: key) {
                .success(1)
            } then: { result in
                answers.withLock { $0.append(result) }
            }
        }
        for _ in 0...CheckQueue.share { leave(from: 1) }
        #expect(answers.withLock { $0.count } == 1)
        #expect(throws: APIError.self) { try answers.withLock { $0 }[0].get() }
        leave(from: 2)
        #expect(answers.withLock { $0.count } == 1)
        gate.signal()
        queue.stop()
        #expect(answers.withLock { $0.count { (try? $0.get()) == 1 } } == CheckQueue.share + 1)
    }

    @Test("whoever is connected reads on while signatures wait")
    func apart() async throws {
        let relay = try TestRelay()
        let alice = try await Person("alice", on: relay)
        let checks = relay.server.parts.checks
        let gate = hold(checks)
        let request = alice.loginRequest()
        let login = Task { try await relay.ask(request).status }
        let registration = try Person.registration("bob", relay: relay.server.relay)
        let other = Task { try await relay.ask(Routes.register.at(), registration.body).status }
        for _ in 0..<1000 where checks.backlog < 2 { try await Task.sleep(for: .milliseconds(5)) }
        #expect(checks.backlog == 2)
        #expect(try await alice.ask(.get, "/v1/rooms").status == 200)
        #expect(try await relay.ask(.get, "/v1/login/alice").status == 200)
        gate.signal()
        #expect(try await login.value == 200)
        #expect(try await other.value == 201)
        await relay.server.stop()
    }
}
