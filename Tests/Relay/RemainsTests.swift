import Foundation
import MildamIdentity
import MildamRelayAPI
import MildamStorage
import MildamSystem
import TestSupport
import Testing

@testable import MildamRelay

@Suite("What nobody can read any more goes in small steps")
struct RemainsTests {
    private func writer(_ relay: TestRelay) throws -> RelayWriter {
        try RelayWriter(path: relay.folder.path + "/data/relay.db")
    }

    private func count(_ table: String, _ relay: TestRelay) throws -> Int {
        try relay.dump().count { $0.hasPrefix(table) }
    }

    /// Steps until nothing is left.
    ///
    /// - Returns: how many rows there were after each.
    private func steps(_ writer: RelayWriter, counting table: String, _ relay: TestRelay) throws -> [Int] {
        var counts: [Int] = []
        while !writer.remains.isEmpty {
            try writer.transaction { () throws(StorageError) in try writer.deleteRemains() }
            counts.append(try count(table, relay))
            try #require(counts.count < 20, "it comes to no end")
        }
        return counts
    }

    @Test("a room that its last member left, also when the relay ends in between")
    func room() async throws {
        let relay = try TestRelay { $0.limitsRates = false }
        let alice = try await Person("alice", on: relay)
        let (room, other) = (try await alice.createRoom(), try await alice.createRoom())
        for _ in 0..<40 { _ = try await alice.send(String(repeating: "x", count: 250_000), to: room) }
        _ = try await alice.send("stays", to: other)
        for room in [room, room, other] {
            _ = try await alice.ask(
                .put,
                Routes.blob.at(BlobPlace(room, .random())).path + "?size=1&offset=0",
                body: [1]
            )
        }
        await relay.server.stop()

        let first = try writer(relay)
        #expect(first.remains.isEmpty)
        let leave = MembershipChange(action: .leave, after: 40)
        let request = SendRequest(id: .random(), generation: 1, body: Data([1]), change: leave)
        let operation = SendOperation(request, to: room, by: alice.sender)
        #expect(
            try first.transaction { () throws(StorageError) in try first.send(operation) }
                == .success(SendReceipt(number: 41))
        )
        // 17 messages of 250 kB are 4 MiB; beside the room's there is one of the other.
        #expect(try count("message", relay) == 40 - 17 + 1 + 1)
        #expect(first.remains == [.room(room)])

        // Nothing but the disk knows of it now.
        let second = try writer(relay)
        #expect(second.remains == [.room(room)])
        #expect(try steps(second, counting: "message", relay) == [8, 2])
        #expect(try count("blob", relay) == 1)
        let dropped = second.takeNotices().map {
            if case .blobsDropped(room, let blobs) = $0 { blobs.count } else { -1 }
        }
        #expect(dropped == [2])
        #expect(try writer(relay).remains.isEmpty)
    }

    @Test("a long mailbox that its device dropped")
    func mailbox() async throws {
        let relay = try TestRelay { $0.limitsRates = false }
        let alice = try await Person("alice", on: relay)
        let room = try await alice.createRoom()
        await relay.server.stop()
        let writer = try writer(relay)
        let address = MailboxAddress(account: alice.account, device: alice.device)
        let envelope = AddressedEnvelope(account: alice.account, device: alice.device, body: Data([1]))
        try writer.transaction { () throws(StorageError) in
            for number in 1...1_200 as ClosedRange<UInt64> {
                try writer.deliver([envelope], of: room, to: [address: 1..<number])
            }
        }
        func drop(_ last: UInt64) throws -> Bool {
            let result = try writer.transaction { () throws(StorageError) in
                try writer.dropMailbox(address, through: last)
            }
            return (try? result.get()) != nil
        }
        #expect(try drop(3))
        #expect(writer.remains.isEmpty, "a few go at once")
        #expect(try count("mailbox", relay) == 1_197)
        #expect(try drop(1_199))
        #expect(writer.remains == [.mailbox(address)])
        #expect(try writer.mailbox(address) == 1_200..<1_201)
        #expect(try self.writer(relay).remains == [.mailbox(address)])
        #expect(try steps(writer, counting: "mailbox", relay) == [197, 1])
        #expect(try !drop(1_201))
    }

    @Test("a transaction that is undone leaves nothing to be done")
    func undone() async throws {
        let relay = try TestRelay { $0.limitsRates = false }
        let alice = try await Person("alice", on: relay)
        let room = try await alice.createRoom()
        for _ in 0..<600 { _ = try await alice.send("x", to: room) }
        await relay.server.stop()
        let writer = try writer(relay)
        let leave = MembershipChange(action: .leave, after: 600)
        let request = SendRequest(id: .random(), generation: 1, body: Data([1]), change: leave)
        #expect(throws: StorageError.self) {
            try writer.transaction { () throws(StorageError) in
                _ = try writer.send(SendOperation(request, to: room, by: alice.sender))
                throw .full(path: "")
            }
        }
        writer.forget()
        #expect(try count("message", relay) == 600)
        try writer.transaction { () throws(StorageError) in }
        #expect(writer.remains.isEmpty)
    }

    @Test("the relay takes the steps by itself, after a leave and at its start")
    func relay() async throws {
        let folder = try TemporaryFolder()
        var relay = try TestRelay(folder: folder) { $0.limitsRates = false }
        let alice = try await Person("alice", on: relay)
        let (room, other) = (try await alice.createRoom(), try await alice.createRoom())
        for _ in 0..<1_300 { _ = try await alice.send("x", to: room) }
        for _ in 0..<1_300 { _ = try await alice.send("x", to: other) }
        let leave = MembershipChange(action: .leave, after: 1_300)
        #expect(try await alice.send("bye", to: room, change: leave).status == 201)
        #expect(await eventually { (try? count("message", relay)) == 1_301 })
        await relay.server.stop()
        let writer = try writer(relay)
        let request = SendRequest(id: .random(), generation: 1, body: Data([1]), change: leave)
        _ = try writer.transaction { () throws(StorageError) in
            try writer.send(SendOperation(request, to: other, by: alice.sender))
        }
        #expect(try count("message", relay) == 1 + 801)
        relay = try TestRelay(folder: folder)
        #expect(await eventually { (try? count("message", relay)) == 2 })
        await relay.server.stop()
    }
}
