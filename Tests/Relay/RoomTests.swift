import Foundation
import MildamIdentity
import MildamRelayAPI
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

    @Test("a conversation: create, add, say, read, remove, leave")
    func conversation() async throws {
        let relay = try TestRelay()
        let alice = try await Person("alice", on: relay)
        let bob = try await Person("bob", on: relay)
        let room = try await alice.createRoom()
        #expect(try await alice.send("one", to: room).status == 201)
        #expect(try await alice.add(bob, to: room).value(SendReceipt.self).number == 2)
        #expect(try await bob.send("three", to: room).value(SendReceipt.self).number == 3)

        // Bob reads from his own adding on.
        #expect(try await bob.ask(.get, "/v1/rooms/\(room)/messages?from=1").apiError == gone(2))
        let page: MessagePage = try await bob.ask(.get, "/v1/rooms/\(room)/messages?from=2").value()
        #expect(page.first == 2 && page.next == 4)
        #expect(page.messages.map(\.number) == [2, 3])
        #expect(page.messages.map(\.kind) == [.membership, .application])
        #expect(page.messages[1].account == bob.account && page.messages[1].body == Data("three".utf8))
        let beyond: MessagePage = try await bob.ask(.get, "/v1/rooms/\(room)/messages?from=\(UInt64.max)").value()
        #expect(beyond.messages.isEmpty && beyond.next == 4)
        let all: MessagePage = try await alice.ask(.get, "/v1/rooms/\(room)/messages?from=1").value()
        #expect(all.messages.map(\.number) == [1, 2, 3])

        // His envelope lies in his mailbox, and goes when he says so.
        let mailbox: MailboxPage = try await bob.ask(.get, "/v1/mailbox?from=1").value()
        #expect(mailbox.items.map(\.number) == [1] && mailbox.items[0].body == Data("key".utf8) && mailbox.next == 2)
        #expect(try await bob.ask(.delete, "/v1/mailbox?through=1").status == 204)
        #expect(try await bob.ask(.delete, "/v1/mailbox?through=1").status == 204)
        #expect(try await bob.ask(.get, "/v1/mailbox?from=1").apiError == gone(2))
        let empty: MailboxPage = try await bob.ask(.get, "/v1/mailbox?from=2").value()
        #expect(empty.items.isEmpty && empty.first == 2)

        // Removed, he can neither read nor write; a retry of what he sent before still finds its number.
        let rooms: RoomList = try await bob.ask(.get, "/v1/rooms").value()
        #expect(rooms.rooms.map(\.room) == [room] && rooms.rooms[0].first == 2)
        let id = MessageID.random()
        #expect(try await bob.send("four", to: room, id: id).value(SendReceipt.self).number == 4)
        let removal = MembershipChange(action: .remove, accounts: [bob.account], after: 4)
        #expect(try await alice.send("removed", to: room, generation: 2, change: removal).status == 201)
        #expect(try await bob.ask(.get, "/v1/rooms/\(room)/messages?from=2").apiError?.code == .notAMember)
        #expect(try await bob.ask(.get, "/v1/rooms/\(room)").apiError?.code == .notAMember)
        #expect(try await bob.send("six", to: room, generation: 2).apiError?.code == .notAMember)
        #expect(try await bob.send("four", to: room, id: id).value(SendReceipt.self).number == 4)
        #expect(try await bob.ask(.get, "/v1/rooms").value(RoomList.self).rooms.isEmpty)

        // Alice leaves an otherwise empty room: nothing of it is left but the message that says so.
        let last = MessageID.random()
        let leaving = MembershipChange(action: .leave, after: 5)
        #expect(try await alice.send("bye", to: room, generation: 2, id: last, change: leaving).status == 201)
        #expect(try await alice.send("bye", to: room, generation: 2, id: last, change: leaving).status == 201)
        #expect(try relay.dump().filter { $0.hasPrefix("message") }.count == 1)
        await relay.server.stop()
    }

    private func gone(_ number: UInt64) -> APIError {
        APIError(.gone, "what lies below this number is gone", number: number)
    }

    @Test("after somebody left, nothing is said until the key is renewed")
    func renewal() async throws {
        let relay = try TestRelay()
        let alice = try await Person("alice", on: relay)
        let bob = try await Person("bob", on: relay)
        let room = try await alice.createRoom()
        _ = try await alice.add(bob, to: room)
        #expect(try await bob.send("bye", to: room, change: .init(action: .leave, after: 1)).status == 201)
        #expect(try await alice.state(of: room).renewalDue)
        let refused = try await alice.send("hello?", to: room).apiError
        #expect(refused?.code == .staleEpoch && refused?.generation == 1 && refused?.epoch == 0)
        #expect(
            try await alice.send("new", to: room, generation: 2, change: .init(action: .renew, after: 2)).status == 201
        )
        #expect(try await alice.send("hello", to: room, generation: 2).status == 201)
        let state = try await alice.state(of: room)
        #expect(state.generation == 2 && !state.renewalDue && state.next == 5 && state.members == [alice.account])
        await relay.server.stop()
    }

    @Test("a retry of a send gets its number; other bytes under its id are refused; a refused send uses up no id")
    func retries() async throws {
        let relay = try TestRelay()
        let alice = try await Person("alice", on: relay)
        let room = try await alice.createRoom()
        let id = MessageID.random()
        #expect(try await alice.send("one", to: room, generation: 9, id: id).apiError?.code == .staleEpoch)
        #expect(try await alice.send("one", to: room, id: id).value(SendReceipt.self).number == 1)
        #expect(try await alice.send("two", to: room).value(SendReceipt.self).number == 2)
        let before = try relay.dump()
        #expect(try await alice.send("one", to: room, id: id).value(SendReceipt.self).number == 1)
        let reused = try await alice.send("other", to: room, id: id)
        #expect(reused.status == 409 && reused.apiError?.code == .idReused && reused.apiError?.number == 1)
        // Also where nothing about it would be allowed any more.
        #expect(try await alice.send("one", to: room, generation: 9, id: id).apiError?.code == .idReused)
        #expect(try relay.dump() == before)
        await relay.server.stop()
    }

    @Test("making a room is idempotent for its maker, and for nobody else")
    func creation() async throws {
        let relay = try TestRelay()
        let alice = try await Person("alice", on: relay)
        let bob = try await Person("bob", on: relay)
        let room = try await alice.createRoom()
        _ = try await alice.send("one", to: room)
        let again = try await alice.ask(Routes.createRoom.at(), CreateRoomRequest(room: room))
        #expect(again.status == 201)
        #expect(try again.value(RoomState.self).next == 2)
        #expect(try await bob.ask(Routes.createRoom.at(), CreateRoomRequest(room: room)).apiError?.code == .roomTaken)
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
