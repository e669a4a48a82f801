import Foundation
import MildamIdentity
import MildamMLS
import MildamRelayAPI
import MildamRoomRules
import MildamTransport
import MildamWire
import Testing

@testable import MildamRelay

@Suite("Rooms that are MLS groups: generations")
struct GenerationTests {
    /// A room of alice, its owner, and of bob.
    private func makeRoom(
        of alice: GroupMember,
        with bob: GroupMember
    ) async throws -> (room: RoomID, hers: Group, his: Group) {
        let room = RoomID.random()
        var hers = try alice.group(room)
        #expect(try await alice.create(room, hers).status == 201)
        let bundle = try bob.bundle()
        let added = try alice.commit(&hers, adding: [bundle.keyPackage])
        #expect(try await alice.send(added, to: room, epoch: 0).status == 201)
        try hers.mergeStagedCommit()
        return (room, hers, try await bob.join(room, with: bundle))
    }

    @Test("a room goes on in a group of one leaf; the others have seats in it, and come in from outside")
    func life() async throws {
        let relay = try TestRelay()
        let (alice, bob) = (try await GroupMember("alice", on: relay), try await GroupMember("bobby", on: relay))
        let made = try await makeRoom(of: alice, with: bob)
        let room = made.room
        var (hers, his) = (made.hers, made.his)
        var socket = try await Socket(bob.person)
        // It is taken while bob leaves, too.
        let leaving = try his.proposeSelfRemove(authenticatedData: [1, 1]).message.wireBytes
        #expect(try await bob.send(.proposal(leaving), to: room, epoch: 1).status == 201)

        var next = try alice.group(after: hers)
        let info = MLSMessage.groupInfo(try next.groupInfo()).wireBytes
        let id = MessageID.random()
        for _ in 0..<2 {
            let answer = try await alice.renew(room, by: info, epoch: 1, seen: 2, id: id)
            #expect(try answer.value(SendReceipt.self).number == 3)
        }
        let other = try alice.group(after: hers)
        let reused = try await alice.renew(room, by: other, epoch: 1, id: id)
        #expect(reused.apiError?.code == .staleEpoch, "under one id there is one group")
        while let event = try await socket.next() {
            if event == .generation(room: room) { break }
            #expect(event == .removed(room: room), "while bob leaves")
        }

        let page: MessagePage = try await bob.person.ask(.get, Routes.messages.at(room, query: 3).text).value()
        #expect(page.messages.map(\.kind) == [.generation] && page.messages.first.map { [UInt8]($0.body) } == info)
        #expect(page.messages.first?.generation == 0 && page.messages.first?.epoch == 1)
        let state = try await bob.state(of: room)
        #expect(state.generation == 1 && state.epoch == 0 && state.handshake == 3 && state.proposals.isEmpty)
        #expect(state.treeHash == next.publicGroup.context.treeHash && state.groupInfos.map(\.groupInfo) == [info])
        let members: RoomState = try await alice.person.ask(.get, Routes.room.at(room).path).value()
        #expect(members.members == [alice.person.account, bob.person.account].sorted())

        // Nothing is taken for the group that has ended, and what was missed is brought.
        let late = try alice.commit(&hers)
        let refused = try await alice.send(late, to: room, epoch: 1, seen: 2)
        #expect(refused.apiError?.code == .staleEpoch && refused.apiError?.generation == 1)
        #expect(try refused.value(APIErrorBody.self).missed?.messages.map(\.kind) == [.generation])
        #expect(try await alice.renew(room, by: other, epoch: 1).apiError?.code == .staleEpoch)
        #expect(try await bob.person.ask(.get, Routes.groupTree.at(room, query: (0, 1)).text).status == 409)

        let tree = try await bob.person.ask(.get, Routes.groupTree.at(room, query: (1, 0)).text).body
        guard case .groupInfo(let open) = try MLSMessage(wireBytes: state.groupInfos[0].groupInfo) else {
            Issue.record("no GroupInfo")
            return
        }
        let join = try ExternalJoin(
            open,
            ratchetTree: tree,
            with: bob.bundle(),
            authenticatedData: CommitReason(evidence: [.deviceList(bob.list)]).wireBytes,
            environment: bob.environment
        )
        let coming = GroupSendRequest.Content.commit(
            join.commit.wireBytes,
            groupInfo: MLSMessage.groupInfo(try join.groupInfo(sendsTree: false)).wireBytes,
            welcome: []
        )
        #expect(try await bob.send(coming, to: room, epoch: 0, generation: 1).status == 201)
        _ = try next.process(join.commit)
        #expect(next.publicGroup.context == join.group.publicGroup.context)
        let said = try next.protect([1]).wireBytes
        #expect(try await alice.send(.application(said), to: room, epoch: 1, generation: 1).status == 201)
        #expect(try relay.allRows().rows.count { $0.kind == "group" } == 1)
        await relay.server.stop()
    }

    @Test("who has no right to it, or changes more than that, begins none")
    func refusals() async throws {
        let relay = try TestRelay()
        let (alice, bob) = (try await GroupMember("alice", on: relay), try await GroupMember("bobby", on: relay))
        let carol = try await GroupMember("carol", on: relay)
        let (room, hers, his) = try await makeRoom(of: alice, with: bob)
        func kept() throws -> [StoreDump.Row] {
            try relay.allRows().rows.filter { ["group", "group_info", "message", "snapshot"].contains($0.kind) }
        }
        let before = try kept()

        func refused(_ member: GroupMember, _ next: Group, _ rule: RoomRule) async throws {
            let answer = try await member.renew(room, by: next, epoch: 1)
            #expect(answer.apiError?.rule == rule.rawValue)
        }
        try await refused(bob, bob.group(after: his), .generationIsBegunByRight)
        try await refused(bob, alice.group(after: hers), .senderIsDeviceOfLeaf)
        try await refused(alice, alice.group(after: hers) { $0.seats = [:] }, .generationKeepsMembers)
        let demoted = try alice.group(after: hers) { $0.roles = [bob.person.account: .owner] }
        try await refused(alice, demoted, .generationKeepsRoles)
        try await refused(alice, alice.group(.random()), .joinedGroupIsOfRoom)
        try await refused(alice, alice.group(room), .joinedGroupIsOfRoom)
        let good = try alice.group(after: hers)
        #expect(try await alice.renew(room, by: good, epoch: 0).apiError?.code == .staleEpoch)
        #expect(try await carol.renew(room, by: good, epoch: 1).apiError?.code == .notAMember)
        #expect(try await alice.renew(.random(), by: good, epoch: 1).apiError?.code == .unknownRoom)
        let keys = try await relay.roomOfBefore(of: alice.person)
        #expect(try await alice.renew(keys, by: good, epoch: 1).apiError?.code == .badRequest)

        let bytes = MLSMessage.groupInfo(try good.groupInfo()).wireBytes
        let bare = MLSMessage.groupInfo(try good.groupInfo(sendsTree: false)).wireBytes
        let closed = MLSMessage.groupInfo(try good.groupInfo(isOpen: false)).wireBytes
        for info in [bare, closed, [1, 2, 3]] {
            #expect(try await alice.renew(room, by: info, epoch: 1).apiError?.code == .invalidCommit)
        }
        for place in stride(from: 1, to: bytes.count, by: 61) {
            var flipped = bytes
            flipped[place] ^= 1
            for part in [flipped, Array(bytes.prefix(place))] {
                #expect(try await alice.renew(room, by: part, epoch: 1).apiError?.code == .invalidCommit, "\(place)")
            }
        }
        #expect(try kept() == before)
        #expect(try await alice.renew(room, by: good, epoch: 1).status == 201)
        await relay.server.stop()
    }

    @Test("an account begins no more generations than it commits")
    func rate() async throws {
        // Time stands still.
        let relay = try TestRelay { $0.rateClock = { 60_000_000_000 } }
        let (alice, bob) = (try await GroupMember("alice", on: relay), try await GroupMember("bobby", on: relay))
        let made = try await makeRoom(of: alice, with: bob)
        let room = made.room
        var hers = made.hers
        for epoch in 1..<UInt64(CommitRate.maximum) {
            let path = try alice.commit(&hers)
            #expect(try await alice.send(path, to: room, epoch: epoch).status == 201)
            try hers.mergeStagedCommit()
        }
        let next = try alice.group(after: hers)
        let answer = try await alice.renew(room, by: next, epoch: UInt64(CommitRate.maximum))
        #expect(answer.apiError?.code == .commitRate && answer.fields["Retry-After"] == "60")
        await relay.server.stop()
    }
}
