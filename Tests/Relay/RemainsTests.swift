import Foundation
import MildamIdentity
import MildamRelayAPI
import MildamSystem
import TestSupport
import Testing

@testable import MildamRelay

@Suite("What nobody can read any more goes in small steps")
struct RemainsTests {
    private func count(_ table: String, _ relay: TestRelay) throws -> Int {
        try relay.dump().count { $0.hasPrefix(table) }
    }

    /// The leaving of a room's last member.
    private func leaving(_ room: LoneRoom, _ person: Person) -> SendToGroup {
        let request = GroupSendRequest(id: .random(), generation: 0, epoch: 0, seen: 0, content: .proposal([1]))
        return SendToGroup(request, .leaving(after: 0), to: room.id, by: person.sender)
    }

    /// Steps until nothing is left.
    ///
    /// - Returns: how many rows there were after each.
    private func steps(_ store: Transactor, counting table: String, _ relay: TestRelay) throws -> [Int] {
        var counts: [Int] = []
        while let next = store.remains.last {
            try store.alone(DeleteRemains(remains: next)).get()
            counts.append(try count(table, relay))
            try #require(counts.count < 20, "it comes to no end")
        }
        return counts
    }

    @Test("a room that its last member left, also when the relay ends in between")
    func room() async throws {
        let relay = try TestRelay { $0.limitsRates = false }
        let alice = try await Person("alice", on: relay)
        let (room, other) = (try await alice.makeRoom(), try await alice.makeRoom())
        for _ in 0..<40 { _ = try await alice.say(String(repeating: "x", count: 250_000), in: room) }
        _ = try await alice.say("stays", in: other)
        for room in [room, room, other] {
            _ = try await alice.ask(
                .put,
                Routes.blob.at(BlobPlace(room.id, .random())).path + "?size=1&offset=0",
                body: [1]
            )
        }
        await relay.server.stop()

        let first = try relay.transactor()
        #expect(first.remains.isEmpty)
        #expect(try first.alone(leaving(room, alice)) == .success(SendReceipt(number: 41)))
        // 17 messages of 250 kB are 4 MiB; beside the room's there is one of the other.
        #expect(try count("message", relay) == 40 - 17 + 1 + 1)
        #expect(first.remains == [.room(room.id)])

        // Nothing but the disk knows of it now.
        first.lane.close()
        let second = try relay.transactor()
        #expect(second.remains == [.room(room.id)])
        #expect(try steps(second, counting: "message", relay) == [8, 2])
        #expect(try count("blob", relay) == 1)
        second.lane.close()
        #expect(try relay.transactor().remains.isEmpty)
    }

    @Test("a long mailbox that its device dropped")
    func mailbox() async throws {
        let relay = try TestRelay { $0.limitsRates = false }
        let alice = try await Person("alice", on: relay)
        let room = RoomID.random()
        await relay.server.stop()
        let store = try relay.transactor()
        defer { store.lane.close() }
        let address = MailboxAddress(account: alice.account, device: alice.device)
        let filling = Doing<Void> { facts, _ throws(Missing) in
            for _ in 1..<1_200 {
                try facts.append(Data([1]), of: room, from: alice.account, isRequest: false, to: address)
            }
            return .success(())
        }
        try store.alone(filling).get()
        func drop(_ last: UInt64) throws -> Bool {
            (try? store.alone(DropMailbox(address: address, last: last)).get()) != nil
        }
        #expect(try count("mailbox", relay) == 1_199)
        #expect(try drop(3))
        #expect(store.remains.isEmpty, "a few go at once")
        #expect(try count("mailbox", relay) == 1_196)
        #expect(try drop(1_198))
        #expect(store.remains == [.mailbox(address)])
        let left = Doing<Range<UInt64>?> { facts, _ throws(Missing) in .success(try facts.device(address)?.mailbox) }
        #expect(try store.alone(left).get() == 1_199..<1_200)
        let other = try relay.transactor()
        #expect(other.remains == [.mailbox(address)])
        other.lane.close()
        #expect(try steps(store, counting: "mailbox", relay) == [196, 1])
        #expect(try !drop(1_200))
    }

    @Test("a transaction that is undone leaves nothing to be done")
    func undone() async throws {
        let relay = try TestRelay { $0.limitsRates = false }
        let alice = try await Person("alice", on: relay)
        let room = try await alice.makeRoom()
        for _ in 0..<600 { _ = try await alice.say("x", in: room) }
        await relay.server.stop()
        let store = try relay.transactor()
        defer { store.lane.close() }
        try store.begin(at: 1)
        #expect(try store.perform(leaving(room, alice)) == .success(SendReceipt(number: 601)))
        store.abort()
        #expect(try count("message", relay) == 600)
        try store.begin(at: 1)
        #expect(try store.commit().isEmpty)
        #expect(store.remains.isEmpty)
    }

    @Test("the relay takes the steps by itself, after a leave and at its start")
    func relay() async throws {
        let folder = try TemporaryFolder()
        var relay = try TestRelay(folder: folder) { $0.limitsRates = false }
        let alice = try await Person("alice", on: relay)
        let (room, other) = (try await alice.makeRoom(), try await alice.makeRoom())
        for _ in 0..<1_300 { _ = try await alice.say("x", in: room) }
        for _ in 0..<1_300 { _ = try await alice.say("x", in: other) }
        let (commits, leave) = (relay.server.parts.commits, leaving(room, alice))
        let left: Result<SendReceipt, APIError> = await withCheckedContinuation { continuation in
            commits.perform(leave, for: .relay) { continuation.resume(returning: $0) }
        }
        #expect(try left.get().number == 1_301)
        #expect(await eventually { (try? count("message", relay)) == 1_301 })
        await relay.server.stop()
        let store = try relay.transactor()
        _ = try store.alone(leaving(other, alice))
        store.lane.close()
        #expect(try count("message", relay) == 1 + 801)
        relay = try TestRelay(folder: folder)
        #expect(await eventually { (try? count("message", relay)) == 2 })
        await relay.server.stop()
    }
}
