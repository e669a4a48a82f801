import Foundation
import HouseSupport
import MildamIdentity
import MildamRelayAPI
import TestSupport
import Testing

/// Who is in a room is what its members have made of it, whatever the relay says.
@Suite("Who is in a room: not by the relay's word")
struct RoomMembershipTests {
    /// A room of alice's and bob's; bob meets the relay through a proxy.
    private func scene() async throws -> (house: House, proxy: TamperingProxy, alice: Person, bob: Person) {
        let house = try await House.open()
        let proxy = try TamperingProxy.start(before: house.relay.url)
        let (alice, bob) = (house.person("alice"), house.person("bob", at: proxy.url))
        try await house.settle(alice, bob)
        try await house.room("kitchen", of: [alice, bob])
        return (house, proxy, alice, bob)
    }

    private func until(
        _ location: SourceLocation = #_sourceLocation,
        _ condition: () async throws -> Bool
    ) async throws {
        for _ in 0..<300 {
            if try await condition() { return }
            try await Task.sleep(for: .milliseconds(100))
        }
        Issue.record("it did not come to be", sourceLocation: location)
        throw CancellationError()
    }

    /// A list with somebody more, or with nobody, brings nobody in, puts nobody out, and stops nothing.
    @Test func aListThatIsNotTheMembers() async throws {
        let (house, proxy, alice, bob) = try await scene()
        defer { withExtendedLifetime(house) { proxy.stop() } }
        for members in [[AccountID.random()], []] {
            proxy.tamper { route, _, answer in
                guard Routes.rooms.names(in: route) != nil else { return answer }
                return try answer.changing(RoomList.self) { list in
                    for index in list.rooms.indices { list.rooms[index].members = members }
                }
            }
            let shown = try await bob.run("room", "show", "kitchen", "--json")
            let object = try JSONSerialization.jsonObject(with: Data(shown.output.utf8)) as? [String: Any]
            let handles = (object?["members"] as? [[String: Any]])?.compactMap { $0["handle"] as? String }
            #expect(handles?.sorted() == ["alice", "bob"], "\(shown)")
        }
        try await bob.done("room", "leave", "kitchen")
        try await until { !(try await alice.done("room", "show", "kitchen").contains("bob")) }
    }

    /// A list without the room takes nothing away.
    @Test func aRoomThatIsNotListed() async throws {
        let (house, proxy, alice, bob) = try await scene()
        defer { withExtendedLifetime(house) { proxy.stop() } }
        proxy.tamper { route, _, answer in
            guard Routes.rooms.names(in: route) != nil else { return answer }
            return try answer.changing(RoomList.self) { $0.rooms = [] }
        }
        try await alice.done("room", "rename", "kitchen", "parlour")
        try await until { try await bob.done("room", "list").contains("parlour") }
        expect(try await bob.run("room", "show", "parlour"), 0, "alice", "bob")
    }

    /// Who is told by the relay that they were put out keeps what is here, and comes in again when it is served again.
    @Test func putOutByTheRelaysWord() async throws {
        let (house, proxy, alice, bob) = try await scene()
        defer { withExtendedLifetime(house) { proxy.stop() } }
        let room = try await alice.room("kitchen")
        proxy.tamperLive { event in [event, .removed(room: room)] }
        try await alice.done("room", "rename", "kitchen", "parlour")
        try await until { try await bob.done("room", "list", "--offline").contains("removed") }
        proxy.behave()
        try await until { try await bob.done("room", "list").contains("room join") }
        expect(try await bob.run("room", "join", room.description), 0, "joined", "alice, bob")
        try await until {
            let digits = try await bob.done("room", "verify", room.description).prefix(35)
            return try await alice.done("room", "verify", "parlour").hasPrefix(digits)
        }
    }
}
