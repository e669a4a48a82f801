import Foundation
import MildamIdentity
import MildamRelayAPI
import MildamTransport
import Testing

@testable import MildamRelay

@Suite("Rooms with one key for each generation, which earlier relays made")
struct RoomOfBeforeTests {
    @Test("members read what was said there, and nobody else does")
    func read() async throws {
        let relay = try TestRelay()
        let (alice, bob) = (try await Person("alice", on: relay), try await Person("bob", on: relay))
        let carol = try await Person("carol", on: relay)
        let room = try await relay.roomOfBefore(of: alice, with: [bob], saying: ["one", "two"])
        for person in [alice, bob] {
            let rooms: RoomList = try await person.ask(.get, Routes.rooms.path).value()
            #expect(rooms.rooms.map(\.room) == [room])
            let state = try await person.state(of: room)
            #expect(state.isGroup == nil && state.first == 1 && state.next == 3)
            #expect(state.members == [alice.account, bob.account].sorted())
            let page: MessagePage = try await person.ask(.get, Routes.messages.at(room, query: 1).text).value()
            #expect(page.messages.map(\.body) == [Data("one".utf8), Data("two".utf8)])
        }
        let refused = try await carol.ask(.get, Routes.messages.at(room, query: 1).text)
        #expect(refused.apiError?.code == .notAMember)
        await relay.server.stop()
    }

    @Test("nothing is written there any more, and no group takes its place")
    func group() async throws {
        let relay = try TestRelay()
        let alice = try await Person("alice", on: relay)
        let room = try await relay.roomOfBefore(of: alice, saying: ["one"])
        let before = try relay.dump()
        let group = try LoneRoom(of: alice, as: room)
        #expect(try await alice.make(group).apiError?.code == .roomTaken)
        #expect(try await alice.say("two", in: group).apiError == .noGroup)
        #expect(try await alice.ask(.get, Routes.group.at(room).text).apiError == .noGroup)
        let blob = Routes.blob.at(BlobPlace(room, .random())).path + "?size=1&offset=0"
        #expect(try await alice.ask(.put, blob, body: [1]).apiError == .noGroup)
        let messages = Routes.messages.at(room, query: 1).path
        #expect(try await alice.ask(.post, messages).apiError?.code == .methodNotAllowed)
        #expect(try relay.dump() == before)
        await relay.server.stop()
    }
}
