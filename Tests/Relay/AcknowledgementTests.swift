import Foundation
import MildamIdentity
import MildamMLS
import MildamRelayAPI
import MildamTransport
import Testing

@testable import MildamRelay

@Suite("What devices acknowledge, and blobs that messages name", .timeLimit(.minutes(2)))
struct AcknowledgementTests {
    /// Leaves what was gathered to be written, and waits for it.
    private func write(_ relay: TestRelay) async {
        await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
            relay.server.parts.cursors.write { done.resume() }
        }
    }

    /// What a socket was sent is heard once something that came after it is answered.
    private func settle(_ socket: inout Socket) async throws {
        try await socket.say(.renew(access: "none"))
        guard case .refused = try await socket.next() else { throw CancellationError() }
    }

    @Test("delivered is what each other member has; a hundred acknowledgements are one row")
    func delivered() async throws {
        let relay = try TestRelay()
        let (alice, bob) = (try await GroupMember("alice", on: relay), try await GroupMember("bobby", on: relay))
        let room = RoomID.random()
        var group = try alice.group(room)
        #expect(try await alice.create(room, group).status == 201)
        #expect(try await alice.person.state(of: room).delivered == nil, "there is nobody else")
        #expect(try await alice.add(bob, to: room, &group).status == 201)
        for number in 0..<100 {
            #expect(try await alice.say("\(number)", in: &group, room, epoch: 1).status == 201)
        }
        #expect(try await alice.person.state(of: room).delivered == 0)
        var socket = try await Socket(bob.person)
        for number in 1...100 as ClosedRange<UInt64> { try await socket.say(.acknowledge(room: room, number: number)) }
        // What is none of these has no effect.
        try await socket.say(.acknowledge(room: room, number: 102))
        try await socket.say(.acknowledge(room: .random(), number: 1))
        try await settle(&socket)
        await write(relay)
        #expect(try await alice.person.state(of: room).delivered == 0, "the highest is beyond the end")
        try await socket.say(.acknowledge(room: room, number: 100))
        try await settle(&socket)
        await write(relay)
        #expect(try await alice.person.state(of: room).delivered == 100)
        #expect(try await bob.person.state(of: room).delivered == 0)
        #expect(try relay.allRows().rows.count { $0.kind == "cursor" } == 1)
        await relay.server.stop()
    }

    @Test("whoever names rooms without end has a share of what is gathered, and takes nobody's place")
    func share() async throws {
        let relay = try TestRelay()
        let (alice, bob) = (try await GroupMember("alice", on: relay), try await GroupMember("bobby", on: relay))
        let room = RoomID.random()
        var group = try alice.group(room)
        #expect(try await alice.create(room, group).status == 201)
        #expect(try await alice.add(bob, to: room, &group).status == 201)
        let cursors = relay.server.parts.cursors
        let (hers, his) = (alice.person.sender.address, bob.person.sender.address)
        for _ in 0..<GatheredCursors.maximumOfAccount { cursors.add(1, by: CursorName(room: .random(), address: his)) }
        for address in [hers, his] { cursors.add(1, by: CursorName(room: room, address: address)) }
        await write(relay)
        let devices = try relay.allRows().rows.filter { $0.kind == "cursor" }
        #expect(devices.count == 1, "bob's comes once he says so again")
        cursors.add(1, by: CursorName(room: room, address: his))
        await write(relay)
        #expect(try relay.allRows().rows.count { $0.kind == "cursor" } == 2)
        await relay.server.stop()
    }

    @Test("a blob of a group is its owner's alone until a message names it, and then is for whoever can read that")
    func named() async throws {
        let relay = try TestRelay()
        let (alice, bob) = (try await GroupMember("alice", on: relay), try await GroupMember("bobby", on: relay))
        let room = RoomID.random()
        var group = try alice.group(room)
        #expect(try await alice.create(room, group).status == 201)
        let blob = BlobID.random()
        let path = Routes.blob.at(BlobPlace(room, blob)).path
        #expect(try await alice.person.ask(.put, path + "?size=2&offset=0", body: [1]).status == 200)
        let early = try group.protect([1]).wireBytes
        let half = try await alice.send(.application(early), to: room, epoch: 0, blobs: [blob])
        #expect(half.apiError?.code == .unknownBlob, "it is not whole")
        #expect(try await alice.person.ask(.put, path + "?size=2&offset=1", body: [2]).status == 200)
        let added = try alice.commit(&group, adding: [bob.bundle().keyPackage])
        #expect(try await alice.send(added, to: room, epoch: 0).status == 201)
        try group.mergeStagedCommit()
        #expect(try await bob.person.ask(.get, path).apiError?.code == .unknownBlob)
        let words = try group.protect([2]).wireBytes
        let stolen = try await bob.send(.application(words), to: room, epoch: 1, blobs: [blob])
        #expect(stolen.apiError?.code == .unknownBlob, "it is alice's")
        #expect(try await alice.send(.application(words), to: room, epoch: 1, blobs: [blob]).status == 201)
        #expect(try await bob.person.ask(.get, path + "/content?offset=0&length=2").body == [1, 2])
        await relay.server.stop()
    }
}
