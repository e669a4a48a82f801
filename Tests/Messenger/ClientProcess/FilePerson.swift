import Foundation
import MildamClientAPI
import MildamContent
import MildamCrypto
import MildamIdentity
import MildamSystem
import TestSupport
import Testing

@testable import MildamMessenger

/// Somebody whose client sends and saves files.
final class FilePerson: Sendable {
    let person: RoomPerson
    let messenger: Messenger
    private let running: Lock<FileTransfers>

    init(_ person: RoomPerson) async throws {
        let messenger = Messenger(profile: person.profile)
        let files = FileTransfers(messenger, rooms: person.rooms)
        try await files.begin()
        self.person = person
        self.messenger = messenger
        running = Lock(files)
    }

    /// What sends and saves.
    var files: FileTransfers { running.withLock { $0 } }

    /// Another process goes on where this one was.
    func restart() async throws {
        await files.stop()
        let next = FileTransfers(messenger, rooms: person.rooms)
        try await next.begin()
        running.withLock { $0 = next }
    }

    /// What lies in one of the folders of files on their way.
    func names(in folder: String) -> [String] { Folder.names(in: person.profile.place.folder + "/" + folder) }

    /// Sends a file, and waits until it is said.
    func send(
        _ path: String,
        to room: RoomID,
        _ location: SourceLocation = #_sourceLocation
    ) async throws -> MessageID {
        let id = try await files.send(path, saying: "", to: room)
        let outcome = await files.outcome(of: id, within: 60)
        guard case .done? = outcome else {
            Issue.record("\(String(describing: outcome))", sourceLocation: location)
            throw CancellationError()
        }
        return id
    }

    /// The number of a message, once it was read.
    func number(of id: MessageID, in room: RoomID) async throws -> UInt64 {
        try await until { try await self.find(id, in: room) != nil }
        return try #require(try await find(id, in: room))
    }

    private func find(_ id: MessageID, in room: RoomID) async throws -> UInt64? {
        try await person.rooms.entries(of: room, .last(count: 100)).first { $0.id == id }?.number
    }

    /// Saves a file, and says what came of it.
    func save(
        _ number: UInt64,
        of room: RoomID,
        to path: String,
        replacing: Bool = false
    ) async throws -> WishOutcome? {
        let begun = try await files.save(number, of: room, to: path, replacing: replacing)
        return await files.outcome(of: begun.id, within: 60)
    }
}

extension RoomHouse {
    /// Two people in a room, who send each other files.
    func fileRoom() async throws -> (alice: FilePerson, bob: FilePerson, room: RoomID) {
        let (alice, bob) = (try await person("alice"), try await person("bobby"))
        let room = try await alice.makeRoom("garden")
        try await alice.invite(bob, to: room)
        return (try await FilePerson(alice), try await FilePerson(bob), room)
    }

    /// Writes a file of so many bytes, each another than those around it.
    func write(_ name: String, _ count: Int) throws -> (path: String, content: Data) {
        let content = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })
        try content.write(to: URL(fileURLWithPath: folder.file(name)))
        return (folder.file(name), content)
    }

    /// What a file has; `nil` where there is none.
    func read(_ name: String) -> Data? { FileManager.default.contents(atPath: folder.file(name)) }
}
