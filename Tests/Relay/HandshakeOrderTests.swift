import Foundation
import MildamIdentity
import MildamMLS
import MildamRelayAPI
import MildamTransport
import Testing

@testable import MildamRelay

@Suite("Rooms that are MLS groups: proposals and commits are taken by generation and epoch alone (H11)")
struct HandshakeOrderTests {
    /// A room of two members, in its first epoch, and the commit that made it one of two.
    private func makeRoom(
        of alice: GroupMember,
        with bob: GroupMember
    ) async throws -> (room: RoomID, hers: Group, his: Group, added: GroupSendRequest.Content) {
        let room = RoomID.random()
        var hers = try alice.group(room)
        #expect(try await alice.create(room, hers).status == 201)
        let bundle = try bob.bundle()
        let added = try alice.commit(&hers, adding: [bundle.keyPackage])
        #expect(try await alice.send(added, to: room, epoch: 0).status == 201)
        try hers.mergeStagedCommit()
        return (room, hers, try await bob.join(room, with: bundle), added)
    }

    @Test("however much was said since they were made, and whatever their sender has read of it")
    func busyRoom() async throws {
        let relay = try TestRelay()
        let (alice, bob) = (try await GroupMember("alice", on: relay), try await GroupMember("bobby", on: relay))
        let made = try await makeRoom(of: alice, with: bob)
        let room = made.room
        var (hers, his) = (made.hers, made.his)
        let path = try alice.commit(&hers)
        for _ in 0..<20 { #expect(try await bob.say("text", in: &his, room, epoch: 1).status == 201) }
        #expect(try await alice.send(path, to: room, epoch: 1, seen: 0).value(SendReceipt.self).number == 22)
        try hers.mergeStagedCommit()
        guard case .commit(let commit, _, _) = path else {
            Issue.record("no commit")
            return
        }
        _ = try his.process(MLSMessage(wireBytes: commit))

        let leaving = try his.proposeSelfRemove(authenticatedData: [1, 1]).message.wireBytes
        for _ in 0..<20 { #expect(try await alice.say("text", in: &hers, room, epoch: 2).status == 201) }
        let left = try await bob.send(.proposal(leaving), to: room, epoch: 2, seen: 1)
        #expect(try left.value(SendReceipt.self).number == 43)
        await relay.server.stop()
    }

    @Test("those of another generation or epoch are not, whatever their sender has read; they change nothing")
    func others() async throws {
        let relay = try TestRelay()
        let (alice, bob) = (try await GroupMember("alice", on: relay), try await GroupMember("bobby", on: relay))
        let made = try await makeRoom(of: alice, with: bob)
        let room = made.room
        var (hers, his) = (made.hers, made.his)
        func kept() throws -> [StoreDump.Row] {
            let kinds: Set = ["room", "group", "group_info", "message", "snapshot"]
            return try relay.allRows().rows.filter { kinds.contains($0.kind) }
        }
        let before = try kept()
        let path = try alice.commit(&hers)
        let leaving = try his.proposeSelfRemove(authenticatedData: [1, 1]).message.wireBytes
        for (generation, epoch) in [(0, 0), (0, 2), (1, 1), (1, 0)] as [(UInt32, UInt64)] {
            let late = try await alice.send(path, to: room, epoch: epoch, seen: 1, generation: generation)
            #expect(late.apiError?.code == .staleEpoch, "a commit: \(generation), \(epoch)")
            #expect(late.apiError?.generation == 0 && late.apiError?.epoch == 1)
            let proposal = GroupSendRequest.Content.proposal(leaving)
            let left = try await bob.send(proposal, to: room, epoch: epoch, seen: 1, generation: generation)
            #expect(left.apiError?.code == .staleEpoch, "a leaving: \(generation), \(epoch)")
        }
        // What it says it is for is not what it is.
        #expect(try await alice.send(made.added, to: room, epoch: 1, seen: 1).apiError?.code == .invalidCommit)
        #expect(try kept() == before)
        #expect(try await alice.send(path, to: room, epoch: 1).status == 201)
        await relay.server.stop()
    }
}
