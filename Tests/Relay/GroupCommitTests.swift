import Foundation
import MildamIdentity
import MildamRelayAPI
import MildamStorage
import MildamSystem
import TestSupport
import Testing

@testable import MildamRelay

@Suite("Group commit", .timeLimit(.minutes(5)))
struct GroupCommitTests {
    @Test("64 senders at once: every number once, none missing")
    func concurrent() async throws {
        let relay = try TestRelay(connections: 64) { $0.limitsRates = false }
        let alice = try await Person("alice", on: relay)
        let room = try await alice.makeRoom()
        let each = Count.of(few: 10, full: 200)
        let numbers = try await withThrowingTaskGroup(of: [UInt64].self) { group in
            for sender in 0..<64 {
                group.addTask {
                    var numbers: [UInt64] = []
                    for index in 0..<each {
                        let answer = try await alice.say("\(sender) \(index)", in: room)
                        numbers.append(try answer.value(SendReceipt.self).number)
                    }
                    return numbers
                }
            }
            return try await group.reduce(into: [UInt64]()) { $0 += $1 }
        }
        #expect(numbers.sorted() == Array(1...UInt64(64 * each)))
        #expect(try relay.dump().filter { $0.hasPrefix("message") }.count == 64 * each)
        await relay.server.stop()
    }

    /// A queue on a store of its own, whose answers come at once.
    private func withQueue(
        _ store: (any RelayStore)? = nil,
        _ body: (CommitQueue) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        let store = store ?? StoreUnderTest.chosen.store(at: folder.file("relay.db"))
        let queue = try CommitQueue(store, clock: .system, log: .none) { answers, _ in
            for answer in answers { answer() }
        }
        try await body(queue)
        queue.stop()
    }

    private func perform<Operation: StoreOperation>(
        _ queue: CommitQueue,
        _ operation: Operation
    ) async -> Result<Operation.Value, APIError> {
        await withCheckedContinuation { continuation in
            queue.perform(operation, for: .relay) { continuation.resume(returning: $0) }
        }
    }

    @Test("one operation that fails undoes nothing of its neighbours, and what was known goes with it")
    func neighbours() async throws {
        try await withQueue { queue in
            // The first holds the thread up until the others wait behind it, so that they share a transaction.
            let gate = Handover<Int>()
            let wasHeld = Lock(false)
            async let held = perform(
                queue,
                Doing<Int> { _, _ in
                    let isFirst = wasHeld.withLock { held in
                        defer { held = true }
                        return !held
                    }
                    return .success(isFirst ? gate.take() : 7)
                }
            )
            let (room, other) = (RoomID.random(), RoomID.random())
            let account = AccountID.random()
            let handle = try Handle("alice")
            async let good = perform(
                queue,
                Doing<Int> { facts, _ in
                    let verifier = SaltedVerifier(salt: [1], verifier: [1])
                    facts.make(account, handle: handle, bundle: [1], verifier: verifier)
                    facts.make(Room(id: room, creator: account, members: [account: 1]))
                    return .success(1)
                }
            )
            // The store refuses a room that is there, whatever else the operation would have written.
            async let bad = perform(
                queue,
                Doing<Int> { facts, _ in
                    for _ in 0..<2 { facts.make(Room(id: other, creator: account, members: [:])) }
                    return .success(1)
                }
            )
            try await Task.sleep(for: .milliseconds(50))
            gate.give(7)
            #expect(try await held.get() == 7)
            #expect(try await good.get() == 1)
            let refused = await bad
            #expect(throws: APIError.self) { try refused.get() }
            let left = await perform(
                queue,
                Doing<[Bool]> { facts, _ throws(Missing) in
                    .success([try facts.room(room) != nil, try facts.room(other) != nil])
                }
            )
            #expect(try left.get() == [true, false])
        }
    }

    @Test("after the disk failed nothing more is acknowledged")
    func failedDisk() async throws {
        try await withQueue(FailingStore()) { queue in
            let failed = await perform(queue, EndIdleSessions())
            #expect(throws: APIError.self) { try failed.get() }
            #expect(!queue.canStore)
            let later = await perform(queue, Doing<Int> { _, _ in .success(1) })
            #expect(throws: APIError.self) { try later.get() }
        }
    }

    @Test("a full disk refuses a send with 507, and what was acknowledged before is there")
    func fullDisk() async throws {
        let folder = try TemporaryFolder()
        // No file of the relay's may grow beyond 600 KiB: to a program that is what a full disk looks like.
        let program = try Program(
            "bash",
            [
                "-c", "\(FileLimit.commands(blocks: 600)); exec \"$0\" \"$@\"", try Program.find("mildam-relay"),
                "serve",
                "--data", folder.file("data"), "--listen", "127.0.0.1:0",
            ]
        )
        defer { program.signal(SIGKILL) }
        let line = try #require(program.line(containing: "listening on"))
        let relay = try OutsideRelay(line)
        let alice = try await RoomOwner("alice", at: relay)
        var stored: UInt64 = 0
        var refusal: APIError?
        for _ in 0..<200 where refusal == nil {
            let body = [UInt8](repeating: 0, count: 20_000)
            let answer = try await alice.say(body)
            if answer.status == 201 {
                stored = try answer.value(SendReceipt.self).number
            } else {
                refusal = answer.apiError
            }
        }
        #expect(refusal?.code == .storageFull)
        #expect(stored > 0)
        let ready = try await relay.ask(.get, "/ready", nil)
        #expect(ready.status == 503)
        #expect(String(decoding: ready.body, as: UTF8.self).contains("the disk is full; make room"))
        #expect(try await relay.ask(.get, "/live", nil).status == 200)
        let state: RoomState = try await relay.ask(Routes.room.at(alice.room.id), alice.token).value()
        #expect(state.next == stored + 1)
        program.signal(SIGTERM)
        #expect(program.wait().status == 0)
    }
}

/// A store whose disk fails at the first commit.
private struct FailingStore: RelayStore {
    func prepare() {}
    func identify(at now: Int64) -> StoreIdentity { StoreIdentity(incarnation: .random(), restored: 0) }
    func openLane() -> any CommitLane { Lane() }
    func openReads() -> any RelayReads { ModelReads(ModelStore(at: "")) }

    final class Lane: CommitLane {
        let isOnlyWriter = true
        let loadsOnDemand = true
        let hasDeleted = false
        func begin() {}
        func load(_ keys: [FactKey], into facts: inout Facts) {}
        func apply(_ changes: Changes) {}
        func commit() throws(StorageError) { throw .io(SystemError("write", "planted", code: EIO)) }
        func abort() {}
        func findRemains() -> [Remains] { [] }
        func removeDeleted(patience: Int32?) {}
        func tidy() {}
        func close() {}
    }
}
