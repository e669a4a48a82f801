import Foundation
import Glibc
import MildamIdentity
import MildamRelayAPI
import MildamStorage
import MildamSystem
import TestSupport
import Testing

@testable import MildamRelay
@testable import MildamTransport

@Suite("Fair turns: one account's flood is nobody else's wait", .timeLimit(.minutes(2)))
struct FairTurnTests {
    private typealias Order = Lock<[String]>
    /// What writes down an answer under a name.
    private typealias Naming = @Sendable (String) -> @Sendable (Result<Void, APIError>) -> Void

    /// A reader that is held until the gate opens, so that all that is left meanwhile waits together.
    private final class HeldReader: Sendable {
        let reads: ReadQueue
        let order = Order([])
        private let gate = Handover<Void>()

        init() throws {
            reads = try ReadQueue(ModelStore(at: ""), log: .none) { work in work() }
            let (gate, holds) = (gate, Handover<Void>())
            reads.perform(for: .relay) { _ in
                holds.give(())
                gate.take()
                return .success(())
            } then: { _ in
            }
            holds.take()
        }

        /// Leaves a read, and writes down when it was done, or why not.
        func leave(
            _ name: String,
            for turn: Turn,
            weight: Int = 0,
            _ work: @escaping @Sendable () -> Void = {}
        ) {
            reads.perform(for: turn, weight: weight) { [order] _ in
                order.withLock { $0.append(name) }
                work()
                return .success(())
            } then: { [order] (result: Result<Void, APIError>) in
                if case .failure(let error) = result { order.withLock { $0.append("\(name) \(error.code.rawValue)") } }
            }
        }

        /// Lets the reader go, and returns what it did.
        func open() -> [String] {
            gate.give(())
            reads.stop()
            return order.withLock { $0 }
        }
    }

    private func client(_ state: ClientPresence.State) -> ClientPresence {
        let client = ClientPresence()
        client.note(state)
        return client
    }

    private let loud = Turn(AccountID.random())
    private let quiet = Turn(AccountID.random())

    @Test("1500 reads of one account: another's is the second")
    func reads() throws {
        let reader = try HeldReader()
        for _ in 0..<1500 { reader.leave("loud", for: loud) }
        reader.leave("quiet", for: quiet)
        let order = reader.open()
        #expect(order.count == 1501)
        #expect(order.firstIndex(of: "quiet") == 1)
    }

    @Test("1500 reads whose connections are closed: none of them is read", arguments: [false, true])
    func closed(_ isGone: Bool) throws {
        let reader = try HeldReader()
        let turn = Turn(payer: loud.payer, client: client(isGone ? .gone : .finished))
        for _ in 0..<1500 { reader.leave("loud", for: turn) }
        reader.leave("quiet", for: quiet)
        let order = reader.open()
        // Who has only finished sending is served where nobody else waits: the last one.
        #expect(order.filter { $0 == "loud" }.count == (isGone ? 0 : 1))
        #expect(order.filter { $0 == "loud unavailable" }.count == (isGone ? 1500 : 1499))
        #expect(order.firstIndex(of: "quiet") == 1)
    }

    @Test("many addresses of one network, before there is an account")
    func network() throws {
        let reader = try HeldReader()
        for host in 0..<256 {
            let address = try #require(SocketAddress(ip: "192.0.2.\(host)", port: 1))
            for _ in 0..<6 { reader.leave("loud", for: Turn(payer: Payer(address), client: nil)) }
        }
        let other = try #require(SocketAddress(ip: "198.51.100.1", port: 1))
        reader.leave("quiet", for: Turn(payer: Payer(other), client: nil))
        #expect(reader.open().firstIndex(of: "quiet") == 1)
    }

    @Test("long bodies: who has more that waits than its share is refused, and nobody else")
    func longBodies() throws {
        let reader = try HeldReader()
        for _ in 0..<100 { reader.leave("loud", for: loud, weight: 1 << 20) }
        reader.leave("quiet", for: quiet, weight: 1 << 20)
        #expect(reader.order.withLock { $0.count } == 85, "15 of them wait")
        let order = reader.open()
        #expect(order.filter { $0 == "loud unavailable" }.count == 85)
        #expect(order.filter { $0 == "loud" }.count == 15)
        #expect(order.filter { $0 == "quiet" }.count == 1)
    }

    @Test("where everything is full, who comes anew takes the place of those who have most")
    func full() throws {
        let reader = try HeldReader()
        for _ in 0..<5 {
            let turn = Turn(AccountID.random())
            for _ in 0..<15 { reader.leave("loud", for: turn, weight: 1 << 20) }
        }
        #expect(reader.order.withLock { $0.count } == 12, "63 MiB wait")
        reader.leave("quiet", for: quiet, weight: 1 << 20)
        let order = reader.open()
        #expect(order.filter { $0 == "loud unavailable" }.count == 13)
        #expect(order.filter { $0 == "quiet" }.count == 1)
    }

    @Test("dear reads: who takes the reader long is passed over for as long")
    func dear() throws {
        let reader = try HeldReader()
        for _ in 0..<20 { reader.leave("loud", for: loud) { usleep(10_000) } }
        for _ in 0..<40 { reader.leave("quiet", for: quiet) }
        let order = reader.open()
        let last = try #require(order.lastIndex(of: "quiet"))
        #expect(order.prefix(last).filter { $0 == "loud" }.count <= 10)
    }

    /// A queue whose thread is held by its first operation, and what its batches were.
    private func commits(
        _ leave: (CommitQueue, _ done: @escaping Naming) -> Void
    ) throws -> (order: [String], batches: [Int]) {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let (order, batches, gate, holds) = (Order([]), Lock<[Int]>([]), Handover<Void>(), Handover<Void>())
        let queue = try CommitQueue(
            StoreUnderTest.chosen.store(at: folder.file("relay.db")),
            clock: .system,
            log: .none
        ) { answers, _ in
            batches.withLock { $0.append(answers.count) }
            for answer in answers { answer() }
        }
        let holding = Doing<Void> { _, _ in
            holds.give(())
            gate.take()
            return .success(())
        }
        queue.perform(holding, for: .relay) { _ in }
        holds.take()
        leave(queue) { name in
            { result in
                if case .failure(let error) = result {
                    order.withLock { $0.append("\(name) \(error.code.rawValue)") }
                } else {
                    order.withLock { $0.append(name) }
                }
            }
        }
        gate.give(())
        queue.stop()
        return (order.withLock { $0 }, Array(batches.withLock { $0 }.dropFirst()))
    }

    private let nothing = Doing<Void> { _, _ in .success(()) }

    @Test("5000 writes of one account: another's is in the first transaction, and that is no longer than it may be")
    func writes() throws {
        let (order, batches) = try commits { queue, done in
            for _ in 0..<5000 { queue.perform(nothing, for: loud, then: done("loud")) }
            queue.perform(nothing, for: quiet, then: done("quiet"))
        }
        #expect(order.count == 5001 && order.firstIndex(of: "quiet") == 1)
        #expect(batches.allSatisfy { $0 <= 500 } && batches.first == 500)
    }

    @Test("64 senders still share a transaction")
    func groupCommit() throws {
        let (order, batches) = try commits { queue, done in
            for sender in 0..<64 { queue.perform(nothing, for: Turn(AccountID.random()), then: done("\(sender)")) }
        }
        #expect(batches == [64] && order == (0..<64).map { "\($0)" })
    }

    @Test("writes whose connections are closed before their turn are not carried out")
    func closedWrites() throws {
        let carriedOut = Lock(0)
        let counting = Doing<Void> { _, _ in
            carriedOut.withLock { $0 += 1 }
            return .success(())
        }
        let turn = Turn(payer: loud.payer, client: client(.gone))
        let (order, _) = try commits { queue, done in
            for _ in 0..<500 { queue.perform(counting, for: turn, then: done("loud")) }
            queue.perform(nothing, for: quiet, then: done("quiet"))
        }
        #expect(carriedOut.withLock { $0 } == 0)
        #expect(order.count == 501 && order.filter { $0 == "loud unavailable" }.count == 500)
    }

    @Test("over HTTP: requests whose connections are closed at once are not read, and leave nothing behind")
    func overHTTP() async throws {
        let relay = try TestRelay()
        let (loud, quiet) = (try await Person("loud", on: relay), try await Person("quiet", on: relay))
        let gates = [Turn.relay, Turn(.random())].map { turn in
            let (gate, holds) = (Handover<Void>(), Handover<Void>())
            relay.server.parts.reads.perform(for: turn) { _ in
                holds.give(())
                gate.take()
                return .success(())
            } then: { (_: Result<Void, APIError>) in
            }
            holds.take()
            return gate
        }
        for _ in 0..<200 {
            let stranger = try Stranger(to: relay.server.address)
            stranger.say("GET /v1/rooms HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(loud.token)\r\n\r\n")
        }
        async let answer = quiet.ask(.get, "/v1/rooms")
        #expect(await eventually { relay.server.parts.reads.backlog == 201 })
        // The loop hears of the closed connections meanwhile.
        for _ in 0..<20 { #expect(try await relay.ask(.get, "/live").status == 200) }
        for gate in gates { gate.give(()) }
        #expect(try await answer.status == 200)
        #expect(await eventually { relay.server.parts.reads.backlog == 0 })
        // What was dropped is answered on the loop, a moment after it was taken.
        var dropped = 0.0
        for _ in 0..<200 where dropped < 150 {
            let page = String(decoding: try await relay.ask(.get, "/metrics").body, as: UTF8.self)
            let line = page.split(separator: "\n").first { $0.contains("\"/v1/rooms\",status=\"5xx\"") }
            dropped = line?.split(separator: " ").last.flatMap { Double($0) } ?? 0
        }
        #expect(dropped >= 150)
        #expect(relay.lines.withLock { lines in lines.allSatisfy { !$0.contains("503") } }, "no fault of the relay's")
        await relay.server.stop()
    }

    @Test("who has too much that waits is told when to come again")
    func retryAfter() {
        let response = HTTPResponse.error(.tooMuchWaits)
        #expect(response.status == 503 && response.fields["Retry-After"] == "1")
        #expect(response.pause > .zero)
    }
}
