import Foundation
import MildamIdentity
import MildamMLS
import MildamRelayAPI
import MildamTransport
import MildamWire
import TestSupport
import Testing

@testable import MildamRelay

@Suite("Rooms that are MLS groups: what a relay follows them from (H35)", .timeLimit(.minutes(2)))
struct GroupSnapshotTests {
    /// Which snapshots the relay has, in the order of their numbers: number, generation and epoch of each.
    private func snapshots(_ relay: TestRelay) throws -> [[Int]] {
        let rows = try relay.allRows().rows.filter { $0.kind == "snapshot" }
        return rows.map { row in row.columns[1...3].compactMap { Int($0) } }.sorted { $0[0] < $1[0] }
    }

    /// The relay with its store alone: it has no group in memory.
    private func restarted(_ relay: TestRelay) async throws -> TestRelay {
        await relay.server.stop()
        return try TestRelay(folder: relay.folder) { $0.limitsRates = false }
    }

    private func tree(_ member: GroupMember, _ room: RoomID, epoch: Int) async throws -> HTTPResponse {
        try await member.person.ask(.get, Routes.groupTree.at(room, query: (0, epoch)).text)
    }

    @Test("a snapshot at each group's beginning: a relay that ended in between goes on from it")
    func beginning() async throws {
        var relay = try TestRelay { $0.limitsRates = false }
        var alice = try await GroupMember("alice", on: relay)
        let room = RoomID.random()
        var group = try alice.group(room)
        #expect(try await alice.create(room, group).status == 201)
        #expect(try snapshots(relay) == [[0, 0, 0]])
        relay = try await restarted(relay)
        alice.person.relay = relay
        let path = try alice.commit(&group)
        #expect(try await alice.send(path, to: room, epoch: 0).status == 201)
        try group.mergeStagedCommit()

        var next = try alice.group(after: group)
        #expect(try await alice.renew(room, by: next, epoch: 1).status == 201)
        #expect(try snapshots(relay) == [[0, 0, 0], [2, 1, 0]])
        relay = try await restarted(relay)
        alice.person.relay = relay
        let first = try alice.commit(&next)
        #expect(try await alice.send(first, to: room, epoch: 0, generation: 1).status == 201)
        await relay.server.stop()
    }

    @Test("another at each 64th commit: the group in any epoch is one of them, and fewer commits than that")
    func sixtyFourth() async throws {
        var relay = try TestRelay { $0.limitsRates = false }
        var alice = try await GroupMember("alice", on: relay)
        let room = RoomID.random()
        var group = try alice.group(room)
        #expect(try await alice.create(room, group).status == 201)
        let last = RoomGroup.commitsPerSnapshot + 2
        var hashes = [group.publicGroup.context.treeHash]
        for epoch in 0..<last {
            let path = try alice.commit(&group)
            try #require(try await alice.send(path, to: room, epoch: UInt64(epoch)).status == 201, "\(epoch)")
            try group.mergeStagedCommit()
            hashes.append(group.publicGroup.context.treeHash)
            let count = epoch + 1 < 64 ? 1 : 2
            if epoch > 60 { #expect(try snapshots(relay).count == count, "\(epoch)") }
        }
        #expect(try snapshots(relay) == [[0, 0, 0], [64, 0, 64]])
        relay = try await restarted(relay)
        alice.person.relay = relay
        for epoch in [0, 1, 63, 64, 65, last] {
            let found = try await tree(alice, room, epoch: epoch)
            #expect(found.fields["ETag"] == "\"\(Hex.encode(hashes[epoch]))\"", "\(epoch)")
        }
        #expect(try await tree(alice, room, epoch: last + 1).status == 409)
        let path = try alice.commit(&group)
        #expect(try await alice.send(path, to: room, epoch: UInt64(last)).status == 201)
        await relay.server.stop()
    }

    @Test("none where a Welcome waits: the tree of its epoch is followed from the one before, whatever came since")
    func welcome() async throws {
        var relay = try TestRelay { $0.limitsRates = false }
        var (alice, bob) = (try await GroupMember("alice", on: relay), try await GroupMember("bobby", on: relay))
        let room = RoomID.random()
        var group = try alice.group(room)
        #expect(try await alice.create(room, group).status == 201)
        let bundle = try bob.bundle()
        let added = try alice.commit(&group, adding: [bundle.keyPackage])
        #expect(try await alice.send(added, to: room, epoch: 0).status == 201)
        try group.mergeStagedCommit()
        let context = group.publicGroup.context
        for epoch in 1...3 as ClosedRange<UInt64> {
            let path = try alice.commit(&group)
            #expect(try await alice.send(path, to: room, epoch: epoch).status == 201)
            try group.mergeStagedCommit()
        }
        #expect(try snapshots(relay).count == 1)
        relay = try await restarted(relay)
        alice.person.relay = relay
        bob.person.relay = relay
        let joined = try await bob.join(room, with: bundle)
        #expect(joined.publicGroup.context == context)
        #expect(try await tree(alice, room, epoch: 4).status == 200)
        await relay.server.stop()
    }

    @Test("one that no commit asks for counts for whoever made the last commit, whosever account comes first")
    func quiet() async throws {
        let relay = try TestRelay()
        let (alice, bob) = (try await GroupMember("alice", on: relay), try await GroupMember("bobby", on: relay))
        let room = RoomID.random()
        var hers = try alice.group(room)
        #expect(try await alice.create(room, hers).status == 201)
        let bundle = try bob.bundle()
        let added = try alice.commit(&hers, adding: [bundle.keyPackage])
        #expect(try await alice.send(added, to: room, epoch: 0).status == 201)
        try hers.mergeStagedCommit()
        var his = try await bob.join(room, with: bundle)
        let store = StoreUnderTest.chosen.store(at: relay.databasePath)
        let book = GroupBook(try store.openReads(), limitsRates: false)
        #expect(try book.quietSnapshot(of: room, for: bob.person.account)?.account == alice.person.account)
        let path = try bob.commit(&his)
        #expect(try await bob.send(path, to: room, epoch: 1).status == 201)
        let made = try #require(try book.quietSnapshot(of: room, for: alice.person.account))
        #expect(made.account == bob.person.account && made.epoch == 2 && made.handshake == 2)
        await relay.server.stop()
    }

    @Test("a commit is looked at on a thread of its own: messages do not wait, and it counts though they came first")
    func onWorker() async throws {
        let relay = try TestRelay()
        let alice = try await GroupMember("alice", on: relay)
        let room = RoomID.random()
        var group = try alice.group(room)
        #expect(try await alice.create(room, group).status == 201)
        let message = try group.protect([1]).wireBytes
        let path = try alice.commit(&group)
        let worker = relay.server.parts.groups.queue
        let gate = worker.hold()
        async let commit = alice.send(path, to: room, epoch: 0)
        let isWaiting = await eventually { worker.backlog == 1 }
        let said = try? await alice.send(.application(message), to: room, epoch: 0)
        gate.give(())
        #expect(isWaiting)
        #expect(try said?.value(SendReceipt.self).number == 1)
        let taken = try await commit
        #expect(try taken.value(SendReceipt.self).number == 2)
        await relay.server.stop()
    }
}
