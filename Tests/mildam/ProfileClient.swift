import HouseSupport
import MildamClientAPI
import MildamIdentity
import MildamMessenger
import TestSupport
import Testing

/// The client of somebody's profile, as windows ask it.
struct ProfileClient {
    let person: Person
    let link: ClientLink

    /// Starts it, and waits until it is connected to the relay.
    init(_ person: Person) async throws {
        self.person = person
        expect(try await person.run("status"), 0)
        let link = try ClientLink(at: person.folder + "/agent/client")
        self.link = link
        try await waitUntil {
            guard case .status(let status) = try await link.ask(.status) else { return false }
            return status.isConnected
        }
    }

    /// Ends it.
    func stop() async throws { try await person.done("client", "stop") }

    func row(_ room: RoomID) async throws -> RoomRow? {
        guard case .rooms(let rows, _) = try await link.ask(.rooms()) else { return nil }
        return rows.first { $0.room == room }
    }

    /// Asks for something, and waits until it is so.
    func get(_ ask: ClientAsk, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let answer = try await link.ask(ask)
        guard case .wished(let id) = answer, case .outcome(.done) = try await link.ask(.outcome(of: id, seconds: 30))
        else {
            Issue.record("\(ask): \(answer)", sourceLocation: sourceLocation)
            throw CancellationError()
        }
    }

    /// Makes a room, and waits until the relay has it.
    func make(_ name: String) async throws -> RoomID {
        guard case .room(let made) = try await link.ask(.createRoom(name: name)) else { throw CancellationError() }
        try await waitUntil { try await row(made.room)?.standing == .member }
        return made.room
    }

    /// Brings others in, who accept.
    func bring(_ others: ProfileClient..., to room: RoomID) async throws {
        for other in others {
            try await get(.invite(room: room, handle: Handle(other.person.name)))
            try await waitUntil {
                let standing = try await other.row(room)?.standing
                return standing == .request || standing == .invited
            }
            try await other.get(.accept(room: room))
        }
    }

    func say(_ text: String, in room: RoomID) async throws { try await get(.send(room: room, text: text)) }

    func items(_ room: RoomID) async throws -> [RoomItem] {
        let answer = try await link.ask(.openRoom(room: room, at: .end, before: 200, after: 0))
        guard case .window(let items, _, _, _, _) = answer else { return [] }
        return items
    }

    /// What was said, in its order.
    func texts(_ room: RoomID) async throws -> [String] {
        try await items(room).filter { $0.kind == .text }.compactMap(\.text)
    }

    /// The digits of the room's epoch.
    func digits(_ room: RoomID) async throws -> String? {
        guard case .verification(_, _, let digits) = try await link.ask(.verify(room: room)) else { return nil }
        return digits
    }
}

/// Waits until something is so, 30 seconds at most.
func waitUntil(
    sourceLocation: SourceLocation = #_sourceLocation,
    _ condition: () async throws -> Bool
) async throws {
    for _ in 0..<600 {
        if try await condition() { return }
        try await Task.sleep(for: .milliseconds(50))
    }
    Issue.record("it did not come to be", sourceLocation: sourceLocation)
    throw CancellationError()
}
