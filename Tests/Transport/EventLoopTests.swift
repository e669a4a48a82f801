import MildamSystem
import TestSupport
import Testing

@testable import MildamTransport

@Suite("The event loop")
struct EventLoopTests {
    private actor Resident {
        nonisolated let loop: EventLoop
        private var count = 0

        init(on loop: EventLoop) {
            self.loop = loop
        }

        nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

        func visit() -> (Int, Bool) {
            count += 1
            return (count, loop.isCurrent)
        }
    }

    private func makeLoop() throws -> EventLoop {
        let loop = try EventLoop(name: "test-loop")
        loop.start()
        return loop
    }

    @Test func anActorLivesOnIt() async throws {
        let loop = try makeLoop()
        let resident = Resident(on: loop)
        for number in 1...1000 {
            let (count, isCurrent) = await resident.visit()
            #expect(count == number && isCurrent)
        }
        #expect(!loop.isCurrent)
        loop.stop()
    }

    @Test func workOfOneThreadKeepsItsOrder() async throws {
        let loop = try makeLoop()
        let seen = Lock<[Int]>([])
        for number in 0..<10_000 { loop.execute { seen.withLock { $0.append(number) } } }
        #expect(await eventually { seen.withLock { $0.count } == 10_000 })
        #expect(seen.withLock { $0 } == Array(0..<10_000))
        loop.stop()
    }

    @Test func whatWasGivenBeforeTheStopRuns() async throws {
        let loop = try makeLoop()
        let count = Lock(0)
        for _ in 0..<100 { loop.execute { count.withLock { $0 += 1 } } }
        loop.stop()
        #expect(await eventually { count.withLock { $0 } == 100 })
        #expect(!loop.executeUnlessStopped {})
    }

    @Test func drainingOnAStoppedLoopReturns() async throws {
        let server = try EchoServer()
        let client = try HTTPClient(server.endpoint)
        let task = Task { try await client.send(HTTPClientRequest(.get, #require(HTTPTarget("/keep")))) }
        #expect(await eventually { server.handler.kept.withLock { !$0.replies.isEmpty } })
        server.loop.stop()
        // The kept reply does not keep the connection open.
        await #expect(throws: TransportError.closed) { try await task.value }
        await server.server.drain(within: .seconds(5))
    }

    @Test func timersFireInOrderUnlessCancelled() async throws {
        let loop = try makeLoop()
        let seen = Lock<[Int]>([])
        let tokens = [30, 10, 20].map { number in
            loop.schedule(after: .milliseconds(number)) { seen.withLock { $0.append(number) } }
        }
        tokens[2].cancel()
        #expect(await eventually { seen.withLock { $0.count } == 2 })
        #expect(seen.withLock { $0 } == [10, 30])
        loop.stop()
    }

    @Test("The heap gives back in order", arguments: [1, 2, 3, 10, 1000])
    func heap(_ count: Int) {
        var heap = TimerHeap()
        var generator = SystemRandomNumberGenerator()
        let moments = (0..<count).map { _ in UInt64.random(in: 0...100, using: &generator) }
        for due in moments { heap.insert(.init(due: due, target: .channel(ChannelID(descriptor: 0, generation: 0)))) }
        var taken: [UInt64] = []
        while let entry = heap.popDue(at: 100) { taken.append(entry.due) }
        #expect(taken == moments.sorted())
    }
}
