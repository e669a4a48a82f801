import Foundation
import Glibc
import MildamClientAPI
import MildamIdentity
import MildamMessenger
import TestSupport
import Testing

/// The client of somebody's profile, as a process of its own, and a connection with it.
package final class RunningClient: Sendable {
    package let person: Person
    package let link: ClientLink
    private let program: Program

    private init(_ person: Person, _ program: Program, _ link: ClientLink) {
        self.person = person
        self.program = program
        self.link = link
    }

    deinit { program.signal(SIGKILL) }

    /// Starts it, and returns once it listens.
    ///
    /// - Parameter watcher: a program that is given this one as its last arguments, with its own before them.
    package static func start(_ person: Person, through watcher: [String] = []) async throws -> RunningClient {
        let words = watcher + [try Program.find("mildam"), "client", "run", "--stay"]
        let program = try Program(words[0], Array(words.dropFirst()), environment: person.variables)
        guard try await program.line(with: "ready") != nil else {
            program.signal(SIGKILL)
            throw NoClient(result: try await program.end())
        }
        return RunningClient(person, program, try ClientLink(at: person.folder + "/agent/client"))
    }

    /// Ends it without a warning.
    package func kill() async throws {
        program.signal(SIGKILL)
        _ = try await program.end()
    }

    /// Asks it to end, and waits until it has.
    package func stop() async throws {
        program.signal(SIGTERM)
        _ = try await program.end()
    }

    // MARK: Rooms

    /// A room's row; `nil` where the client does not know it.
    package func row(of room: RoomID) async throws -> RoomRow? {
        guard case .rooms(let rows, _) = try await link.ask(.rooms()) else { return nil }
        return rows.first { $0.room == room }
    }

    /// Wishes for something, and waits until it is so.
    ///
    /// - Returns: the number of the message by which it is; `nil` where there was none.
    @discardableResult
    package func get(_ ask: ClientAsk, sourceLocation: SourceLocation = #_sourceLocation) async throws -> UInt64? {
        guard case .wished(let wish) = try await link.ask(ask),
            case .outcome(.done(let number)) = try await link.ask(.outcome(of: wish, seconds: LineLimits.patience))
        else {
            Issue.record("\(person.name): \(ask)", sourceLocation: sourceLocation)
            throw CancellationError()
        }
        return number
    }

    /// Makes a room that these are in.
    package func room(_ name: String, with others: [RunningClient]) async throws -> RoomID {
        guard case .room(let made) = try await link.ask(.createRoom(name: name)) else { throw CancellationError() }
        let room = made.room
        try await RunningClient.until { try await self.row(of: room)?.standing == .member }
        for other in others {
            try await get(.invite(room: room, handle: Handle(other.person.name)))
            try await RunningClient.until {
                let standing = try await other.row(of: room)?.standing
                return standing == .request || standing == .invited
            }
            try await other.get(.accept(room: room))
        }
        return room
    }

    /// Everything that the room shows, from its beginning.
    package func items(of room: RoomID) async throws -> [RoomItem] {
        var items: [RoomItem] = []
        var place = WindowPlace.end
        while true {
            let ask = ClientAsk.openRoom(room: room, at: place, before: LineLimits.window, after: 0)
            guard case .window(let part, let hasBefore, _, _, _) = try await link.ask(ask) else { return items }
            let known = items.first?.number ?? .max
            items = part.filter { $0.number ?? .max < known || items.isEmpty } + items
            guard hasBefore, let first = items.first?.number, first < known else { return items }
            place = .number(at: first)
        }
    }

    /// The texts that have a number, in their order.
    package func texts(of room: RoomID) async throws -> [String] {
        try await items(of: room).filter { $0.kind == .text && $0.number != nil }.compactMap(\.text)
    }

    /// Waits until something is so, for a minute at most.
    package static func until(
        _ location: SourceLocation = #_sourceLocation,
        _ condition: () async throws -> Bool
    ) async throws {
        for _ in 0..<1200 {
            if try await condition() { return }
            try await Task.sleep(for: .milliseconds(50))
        }
        Issue.record("it did not come to be", sourceLocation: location)
        throw CancellationError()
    }

    /// The digits that all members see who are in one group, with its generation and epoch.
    package func digits(of room: RoomID) async throws -> String {
        guard case .verification(let generation, let epoch, let digits) = try await link.ask(.verify(room: room)) else {
            throw CancellationError()
        }
        return "\(generation).\(epoch): \(digits)"
    }
}

/// A client that did not start.
package struct NoClient: Error {
    package let result: Program.Result
}
