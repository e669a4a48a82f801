import HouseSupport
import MildamClientAPI
import MildamIdentity
import MildamMessenger
import TestSupport
import Testing

/// Rooms that are MLS groups, through the clients of two profiles.
@Suite("Rooms through the client of a profile")
struct ClientRoomsTests {
    /// The client of somebody's profile, once it is connected to the relay.
    private func client(of person: Person) async throws -> ClientLink {
        expect(try await person.run("status"), 0, "account      \(person.name)")
        let link = try ClientLink(at: person.folder + "/agent/client")
        try await until {
            guard case .status(let status) = try await link.ask(.status) else { return false }
            return status.isConnected
        }
        return link
    }

    private func until(
        _ location: SourceLocation = #_sourceLocation,
        _ condition: () async throws -> Bool
    ) async throws {
        for _ in 0..<600 {
            if try await condition() { return }
            try await Task.sleep(for: .milliseconds(50))
        }
        Issue.record("it did not come to be", sourceLocation: location)
        throw CancellationError()
    }

    private func row(of room: RoomID, in link: ClientLink) async throws -> RoomRow? {
        guard case .rooms(let rows, _) = try await link.ask(.rooms()) else { return nil }
        return rows.first { $0.room == room }
    }

    /// Asks for something, and waits until it is so.
    private func get(
        _ ask: ClientAsk,
        from link: ClientLink,
        _ location: SourceLocation = #_sourceLocation
    ) async throws {
        guard case .wished(let id) = try await link.ask(ask),
            case .outcome(.done) = try await link.ask(.outcome(of: id, seconds: 30))
        else {
            Issue.record("\(ask)", sourceLocation: location)
            throw CancellationError()
        }
    }

    @Test func whatOneSaysTheOtherReadsAndItIsThereWhenAnotherClientBegins() async throws {
        let house = try await House.open()
        let people = try await house.people("alice", "bob")
        let (alice, bob) = (try await client(of: people[0]), try await client(of: people[1]))
        guard case .room(let made) = try await alice.ask(.createRoom(name: "kitchen")) else {
            Issue.record("no room was made")
            return
        }
        let room = made.room
        try await until { try await row(of: room, in: alice)?.standing == .member }
        try await get(.invite(room: room, handle: Handle("bob")), from: alice)
        try await until {
            guard let standing = try await row(of: room, in: bob)?.standing else { return false }
            return standing == .request || standing == .invited
        }
        try await get(.accept(room: room), from: bob)
        try await get(.send(room: room, text: "hello"), from: bob)
        try await until {
            let found = try await row(of: room, in: alice)
            return found?.last?.text == "hello" && found?.unread == 1 && found?.name == "kitchen"
        }
        #expect(try await people[0].done("client", "stop") == "the client has ended\n")
        expect(try await people[0].run("status"), 0, "rooms        1", "unread       1", "waiting      0")
        for person in people { _ = try await person.done("client", "stop") }
    }
}
