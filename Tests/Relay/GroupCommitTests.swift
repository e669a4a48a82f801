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
        let room = try await alice.createRoom()
        let each = Count.of(few: 10, full: 200)
        let numbers = try await withThrowingTaskGroup(of: [UInt64].self) { group in
            for sender in 0..<64 {
                group.addTask {
                    var numbers: [UInt64] = []
                    for index in 0..<each {
                        let answer = try await alice.send("\(sender) \(index)", to: room)
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

    /// A queue on a database of its own, whose answers come at once.
    private func withQueue(_ body: (CommitQueue, TemporaryFolder) async throws -> Void) async throws {
        let folder = try TemporaryFolder()
        let queue = try CommitQueue(path: folder.file("relay.db"), clock: .system, log: .none) { answers, _ in
            for answer in answers { answer() }
        }
        try await body(queue, folder)
        queue.stop()
    }

    private func perform<Value: Sendable>(
        _ queue: CommitQueue,
        _ body: @escaping @Sendable (RelayWriter) throws(StorageError) -> Result<Value, APIError>
    ) async -> Result<Value, APIError> {
        await withCheckedContinuation { continuation in queue.perform(body) { continuation.resume(returning: $0) } }
    }

    @Test("one operation that fails undoes nothing of its neighbours, and the writer's memory goes with it")
    func neighbours() async throws {
        try await withQueue { queue, _ in
            // The first holds the thread up until the others wait behind it, so that they share a transaction.
            let gate = Handover<Int>()
            let wasHeld = Lock(false)
            async let held: Result<Int, APIError> = perform(queue) { _ in
                let isFirst = wasHeld.withLock { held in
                    defer { held = true }
                    return !held
                }
                return .success(isFirst ? gate.take() : 7)
            }
            let room = RoomID.random()
            let sender = Sender(account: .random(), device: .random(), session: .random(), expires: 0)
            async let good: Result<Int, APIError> = perform(queue) { writer throws(StorageError) in
                try writer.database.execute(
                    """
                    INSERT INTO rooms (room, creator, generation, epoch, renewal_due, first, next)
                    VALUES (?, ?, 1, 0, 0, 1, 1)
                    """,
                    room.column,
                    sender.account.column
                )
                return .success(1)
            }
            async let bad: Result<Int, APIError> = perform(queue) { writer throws(StorageError) in
                writer.rooms[.random()] = Room(id: .random(), creator: sender.account, members: [:])
                throw .constraint(.unique, reason: "planted")
            }
            try await Task.sleep(for: .milliseconds(50))
            gate.give(7)
            #expect(try await held.get() == 7)
            #expect(try await good.get() == 1)
            let refused = await bad
            #expect(throws: APIError.self) { try refused.get() }
            let left: (rooms: Int, remembered: Int) = try await perform(queue) { writer throws(StorageError) in
                let count = try writer.database.first("SELECT count(*) FROM rooms") { row throws(StorageError) in
                    try row.int(0)
                }
                return .success((count ?? 0, writer.rooms.count))
            }.get()
            #expect(left.rooms == 1 && left.remembered == 0)
        }
    }

    @Test("after the disk failed nothing more is acknowledged")
    func failedDisk() async throws {
        try await withQueue { queue, _ in
            let failed: Result<Int, APIError> = await perform(queue) { _ throws(StorageError) in
                throw .io(SystemError("write", "planted", code: EIO))
            }
            #expect(throws: APIError.self) { try failed.get() }
            let later: Result<Int, APIError> = await perform(queue) { _ in .success(1) }
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
        let alice = try await relay.register("alice")
        let room = RoomID.random()
        #expect(try await relay.ask(Routes.createRoom.at(), alice, CreateRoomRequest(room: room)).status == 201)
        var stored: UInt64 = 0
        var refusal: APIError?
        for _ in 0..<200 where refusal == nil {
            let body = SendRequest(id: .random(), generation: 1, body: Data(count: 20_000))
            let answer = try await relay.ask(Routes.send.at(room), alice, body)
            if answer.status == 201 {
                stored = try answer.value(SendReceipt.self).number
            } else {
                refusal = answer.apiError
            }
        }
        #expect(refusal?.code == .storageFull)
        #expect(stored > 0)
        let state: RoomState = try await relay.ask(Routes.room.at(room), alice).value()
        #expect(state.next == stored + 1)
        program.signal(SIGTERM)
        #expect(program.wait().status == 0)
    }
}
