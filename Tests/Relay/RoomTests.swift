import Foundation
import MildamIdentity
import MildamMLS
import MildamRelayAPI
import MildamTransport
import MildamWire
import TestSupport
import Testing

@testable import MildamRelay

@Suite("Rooms over HTTP")
struct RoomTests {
    @Test("rooms are listed a page at a time")
    func roomPages() async throws {
        let relay = try TestRelay { $0.limitsRates = false }
        let alice = try await Person("alice", on: relay)
        var rooms: Set<RoomID> = []
        for _ in 0..<230 { rooms.insert(try await alice.makeRoom().id) }
        var seen: [RoomID] = []
        for count in [100, 100, 30, 0] {
            let query = seen.last.map { "?after=\($0)" } ?? ""
            let page = try await alice.ask(.get, "/v1/rooms" + query).value(RoomList.self).rooms.map(\.room)
            #expect(page.count == count)
            seen += page
        }
        #expect(seen.count == 230 && Set(seen) == rooms)
        for wrong in ["?after=x", "?after=", "?after=\(seen[0])&after=\(seen[1])", "?before=\(seen[0])"] {
            #expect(try await alice.ask(.get, "/v1/rooms" + wrong).apiError?.code == .badRequest)
        }
        await relay.server.stop()
    }

    @Test("a conversation: make, add, say, read, remove, leave")
    func conversation() async throws {
        let relay = try TestRelay()
        let (alice, bob) = (try await GroupMember("alice", on: relay), try await GroupMember("bobby", on: relay))
        let room = RoomID.random()
        var hers = try alice.group(room)
        #expect(try await alice.create(room, hers).status == 201)
        #expect(try await alice.say("one", in: &hers, room, epoch: 0).status == 201)
        let bundle = try bob.bundle()
        let added = try alice.commit(&hers, adding: [bundle.keyPackage])
        #expect(try await alice.send(added, to: room, epoch: 0).value(SendReceipt.self).number == 2)
        try hers.mergeStagedCommit()
        var his = try await bob.join(room, with: bundle)
        let three = try his.protect(Array("three".utf8)).wireBytes
        #expect(try await bob.send(.application(three), to: room, epoch: 1).value(SendReceipt.self).number == 3)

        // Bob reads from his own adding on.
        #expect(try await bob.person.ask(.get, "/v1/rooms/\(room)/messages?from=1").apiError == gone(2))
        let page: MessagePage = try await bob.person.ask(.get, "/v1/rooms/\(room)/messages?from=2").value()
        #expect(page.first == 2 && page.next == 4)
        #expect(page.messages.map(\.number) == [2, 3])
        #expect(page.messages.map(\.kind) == [.commit, .application])
        #expect(page.messages[1].account == bob.person.account && page.messages[1].body == Data(three))
        let end = "/v1/rooms/\(room)/messages?from=\(UInt64.max)"
        let beyond: MessagePage = try await bob.person.ask(.get, end).value()
        #expect(beyond.messages.isEmpty && beyond.next == 4)
        #expect(try await alice.page(of: room, from: 1).messages.map(\.number) == [1, 2, 3])

        // His Welcome lies in his mailbox, and goes when he says so.
        let mailbox: MailboxPage = try await bob.person.ask(.get, "/v1/mailbox?from=1").value()
        #expect(mailbox.items.map(\.number) == [1] && mailbox.items[0].kind == .welcome && mailbox.next == 2)
        #expect(try await bob.person.ask(.delete, "/v1/mailbox?through=1").status == 204)
        #expect(try await bob.person.ask(.delete, "/v1/mailbox?through=1").status == 204)
        #expect(try await bob.person.ask(.get, "/v1/mailbox?from=1").apiError == gone(2))
        let empty: MailboxPage = try await bob.person.ask(.get, "/v1/mailbox?from=2").value()
        #expect(empty.items.isEmpty && empty.first == 2)

        // Removed, he can neither read nor write; a retry of what he sent before still finds its number.
        let rooms: RoomList = try await bob.person.ask(.get, "/v1/rooms").value()
        #expect(rooms.rooms.map(\.room) == [room] && rooms.rooms[0].first == 2)
        let four = GroupSendRequest.Content.application(try his.protect(Array("four".utf8)).wireBytes)
        let id = MessageID.random()
        #expect(try await bob.send(four, to: room, epoch: 1, id: id).value(SendReceipt.self).number == 4)
        let out = try alice.commit(&hers, removing: [LeafIndex(rawValue: 1)])
        #expect(try await alice.send(out, to: room, epoch: 1).status == 201)
        try hers.mergeStagedCommit()
        #expect(try await bob.person.ask(.get, "/v1/rooms/\(room)/messages?from=2").apiError?.code == .notAMember)
        #expect(try await bob.person.ask(.get, "/v1/rooms/\(room)").apiError?.code == .notAMember)
        #expect(try await bob.say("six", in: &his, room, epoch: 1).apiError?.code == .notAMember)
        #expect(try await bob.send(four, to: room, epoch: 1, id: id).value(SendReceipt.self).number == 4)
        #expect(try await bob.person.ask(.get, "/v1/rooms").value(RoomList.self).rooms.isEmpty)

        // Alice leaves an otherwise empty room: nothing of it is left but the message that says so.
        let bye = GroupSendRequest.Content.proposal(
            try hers.proposeSelfRemove(authenticatedData: [1, 1]).message.wireBytes
        )
        let last = MessageID.random()
        #expect(try await alice.send(bye, to: room, epoch: 2, id: last).status == 201)
        #expect(try await alice.send(bye, to: room, epoch: 2, id: last).status == 201)
        #expect(try relay.dump().filter { $0.hasPrefix("message") }.count == 1)
        await relay.server.stop()
    }

    private func gone(_ number: UInt64) -> APIError {
        APIError(.gone, "what lies below this number is gone", number: number)
    }

    @Test("after somebody left, nothing is said until a commit names it")
    func renewal() async throws {
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
        let leaving = try his.proposeSelfRemove(authenticatedData: [1, 1]).message
        #expect(try await bob.send(.proposal(leaving.wireBytes), to: room, epoch: 1).status == 201)
        #expect(try await alice.state(of: room).due == 2)
        let refused = try await alice.say("hello?", in: &hers, room, epoch: 1).apiError
        #expect(refused?.code == .proposalsDue && refused?.number == 2)
        _ = try hers.process(leaving)
        #expect(try await alice.send(try alice.commit(&hers), to: room, epoch: 1).status == 201)
        try hers.mergeStagedCommit()
        #expect(try await alice.say("hello", in: &hers, room, epoch: 2).status == 201)
        let state = try await alice.person.state(of: room)
        #expect(state.epoch == 2 && state.next == 5 && state.members == [alice.person.account])
        await relay.server.stop()
    }

    @Test("a retry of a send gets its number; other bytes under its id are refused; a refused send uses up no id")
    func retries() async throws {
        let relay = try TestRelay()
        let alice = try await Person("alice", on: relay)
        let room = try await alice.makeRoom()
        func send(_ text: String, generation: UInt32 = 0, as id: MessageID = .random()) async throws -> HTTPResponse {
            let content = GroupSendRequest.Content.application(room.message(Array(text.utf8)))
            let request = GroupSendRequest(id: id, generation: generation, epoch: 0, seen: 0, content: content)
            return try await alice.ask(.post, Routes.sendToGroup.at(room.id).text, body: request.wireBytes)
        }
        let id = MessageID.random()
        #expect(try await send("one", generation: 9, as: id).apiError?.code == .staleEpoch)
        #expect(try await send("one", as: id).value(SendReceipt.self).number == 1)
        #expect(try await send("two").value(SendReceipt.self).number == 2)
        let before = try relay.dump()
        #expect(try await send("one", as: id).value(SendReceipt.self).number == 1)
        let reused = try await send("other", as: id)
        #expect(reused.status == 409 && reused.apiError?.code == .idReused && reused.apiError?.number == 1)
        // Also where nothing about it would be allowed any more.
        #expect(try await send("one", generation: 9, as: id).apiError?.code == .idReused)
        #expect(try relay.dump() == before)
        await relay.server.stop()
    }

    @Test("making a room is idempotent for its maker, and for nobody else")
    func creation() async throws {
        let relay = try TestRelay()
        let alice = try await Person("alice", on: relay)
        let bob = try await Person("bob", on: relay)
        let room = try await alice.makeRoom()
        _ = try await alice.say("one", in: room)
        let again = try await alice.make(room)
        #expect(again.status == 201)
        #expect(try again.value(RoomState.self).next == 2)
        #expect(try await bob.make(try LoneRoom(of: bob, as: room.id)).apiError?.code == .roomTaken)
        await relay.server.stop()
    }

    @Test("a page ends at its count, or at its bytes")
    func pages() async throws {
        let relay = try TestRelay()
        let alice = try await Person("alice", on: relay)
        let room = try await alice.makeRoom()
        let part = [UInt8](repeating: 0, count: Limits.pageBytes / 8)
        let sealing = room.message(part).count - part.count
        let long = String(repeating: "x", count: Limits.pageBytes / 4 - sealing)
        for _ in 0..<5 { _ = try await alice.say(long, in: room) }
        let first: MessagePage = try await alice.ask(.get, "/v1/rooms/\(room.id)/messages?from=1").value()
        #expect(first.messages.map(\.number) == [1, 2, 3, 4] && first.next == 6)
        let rest: MessagePage = try await alice.ask(.get, "/v1/rooms/\(room.id)/messages?from=5").value()
        #expect(rest.messages.map(\.number) == [5])
        await relay.server.stop()
    }

    @Test("everything is there after a restart")
    func restart() async throws {
        let folder = try TemporaryFolder()
        let relay = try TestRelay(folder: folder)
        let alice = try await Person("alice", on: relay)
        let room = try await alice.makeRoom()
        _ = try await alice.say("one", in: room)
        let before = try relay.dump()
        await relay.server.stop()
        let again = try TestRelay(folder: folder)
        #expect(again.server.relay == relay.server.relay)
        #expect(try again.dump() == before)
        let state = try await again.ask(.get, "/v1/rooms/\(room.id)", token: alice.token).value(RoomState.self)
        #expect(state.next == 2)
        await again.server.stop()
    }

    @Test("a second relay on the same folder, and one that has lost its secrets, do not start")
    func oneRelay() async throws {
        let relay = try TestRelay()
        #expect(throws: RelayError.self) { try TestRelay(folder: relay.folder) }
        await relay.server.stop()
        try FileManager.default.removeItem(atPath: relay.folder.path + "/data/secrets")
        #expect(throws: RelayError.self) { try TestRelay(folder: relay.folder) }
    }
}
