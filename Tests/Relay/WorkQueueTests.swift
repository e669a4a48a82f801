import MildamIdentity
import MildamRelayAPI
import MildamSystem
import TestSupport
import Testing

@testable import MildamRelay

@Suite("Threads that work in turn", .timeLimit(.minutes(2)))
struct WorkQueueTests {
    private typealias Queue = WorkQueue<Void>

    private let loud = Turn(.random())
    private let quiet = Turn(.random())
    private let order = Lock<[String]>([])

    private func queue(threads: Int) throws -> Queue {
        try Queue(threads: threads, deliver: { work in work() }, opening: {})
    }

    private func leave(_ name: String, for turn: Turn, to queue: Queue) {
        queue.perform(for: turn) {
            .success(())
        } then: { [order] (_: Result<Void, APIError>) in
            order.withLock { $0.append(name) }
        }
    }

    @Test("while one payer's work takes long, another's is done, and no more of the first's")
    func beside() async throws {
        let queue = try queue(threads: 2)
        let gate = queue.hold(for: loud)
        leave("loud", for: loud, to: queue)
        leave("quiet", for: quiet, to: queue)
        #expect(await eventually { order.withLock { $0 } == ["quiet"] })
        leave("quiet again", for: quiet, to: queue)
        #expect(await eventually { order.withLock { $0 } == ["quiet", "quiet again"] })
        #expect(queue.backlog == 1)
        gate.give(())
        queue.stop()
        #expect(order.withLock { $0 } == ["quiet", "quiet again", "loud"])
    }

    @Test("both threads are woken for the work of two")
    func two() async throws {
        let queue = try queue(threads: 2)
        for _ in 0..<200 {
            let first = queue.hold(for: loud)
            let second = queue.hold(for: quiet)
            second.give(())
            first.give(())
        }
        queue.stop()
        #expect(queue.backlog == 0)
    }

    @Test("what waits when it is stopped is done first, in its order")
    func stopped() throws {
        let queue = try queue(threads: 3)
        let gate = queue.hold(for: loud)
        for number in 0..<5 { leave("\(number)", for: loud, to: queue) }
        // The other threads were at the queue, and left it be.
        for turn in [quiet, Turn(.random()), quiet] { queue.hold(for: turn).give(()) }
        #expect(queue.backlog == 5)
        gate.give(())
        queue.stop()
        #expect(order.withLock { $0 } == ["0", "1", "2", "3", "4"])
    }
}
