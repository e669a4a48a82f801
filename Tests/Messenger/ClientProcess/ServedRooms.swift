import MildamClientAPI
import MildamCrypto
import MildamIdentity
import MildamSystem
import TestSupport
import Testing

@testable import MildamMessenger

/// Rooms in memory behind a real socket.
final class ServedRooms: Sendable {
    let folder: TemporaryFolder
    let rooms: MemoryRooms
    let book: MemoryBook
    let server: ClientServer
    let lender: MemoryLender
    let socket: String
    let carol = ServedRooms.carol
    static let carol = AccountID.random()
    /// Ends when the server has stopped listening.
    let stops: AsyncStream<Void>

    init(
        older: [OlderSample] = [],
        seen: [AccountID: Curve25519.Signing.PublicKey] = [:],
        patience: Duration = .seconds(65)
    ) throws {
        let others = [try Handle("carol"): carol]
        book = MemoryBook(others: others, older: older, seen: seen)
        rooms = MemoryRooms(others: others)
        lender = MemoryLender(ClientService(rooms: rooms, book: book))
        folder = try TemporaryFolder()
        socket = folder.file("agent/client")
        let (stops, stop) = AsyncStream.makeStream(of: Void.self)
        self.stops = stops
        server = ClientServer(
            at: try UnixListener(at: socket),
            rooms: rooms,
            book: book,
            build: ClientBuild(executable: "/nowhere"),
            profile: "default",
            lender: lender,
            patience: patience,
            onStop: { stop.finish() }
        )
        guard server.start() else { throw SystemError("begin a thread", code: 11) }
    }

    deinit { server.stop() }

    func link() throws -> ClientLink { try ClientLink(at: socket) }

    func raw() throws -> RawWindow { RawWindow(try UnixConnection.connect(to: socket)) }
}

extension ClientLink {
    /// Asks for something, and waits until it is so.
    func wished(_ ask: ClientAsk) async throws -> MessageID {
        let answer = try await self.ask(ask)
        guard case .wished(let id) = answer else {
            Issue.record("\(answer)")
            throw ClientLinkError.ended
        }
        #expect(try await self.ask(.outcome(of: id, seconds: 10)) == .outcome(wish: .done()))
        return id
    }

    /// A room's row.
    func row(_ room: RoomID) async throws -> RoomRow? {
        guard case .rooms(let rows, _) = try await ask(.rooms()) else { return nil }
        return rows.first { $0.room == room }
    }

    /// Makes a room.
    func made(_ name: String) async throws -> RoomID {
        guard case .room(let row) = try await ask(.createRoom(name: name)) else { throw ClientLinkError.ended }
        return row.room
    }

    /// A room's items, at its end.
    func items(_ room: RoomID) async throws -> [RoomItem] {
        guard
            case .window(let items, _, _, _, _) = try await ask(.openRoom(room: room, at: .end, before: 100, after: 0))
        else { return [] }
        return items
    }
}

/// A window that says what it likes.
final class RawWindow: Sendable {
    private let connection: UnixConnection
    private let lines = Lock(LineSplitter())

    init(_ connection: UnixConnection) { self.connection = connection }

    func say(_ text: String) async throws { try await say(Array(text.utf8)) }

    func say(_ bytes: [UInt8]) async throws {
        let connection = connection
        try await Blocking.run { try connection.send(bytes.span, within: .seconds(20)) }
    }

    /// The next line; `nil` once the other side has hung up.
    func line(within limit: Duration = .seconds(20)) async throws -> String? {
        if let line = try lines.withLock({ splitter in try splitter.next() }) {
            return String(decoding: line, as: UTF8.self)
        }
        let (connection, lines) = (connection, lines)
        return try await Blocking.run {
            let deadline = SuspendingClock.now + limit
            while true {
                if let line = try lines.withLock({ splitter in try splitter.next() }) {
                    return String(decoding: line, as: UTF8.self)
                }
                var piece = [UInt8](repeating: 0, count: 1 << 16)
                var span = piece.mutableSpan
                let count = try connection.receive(into: &span, until: deadline)
                guard count > 0 else { return nil }
                let arrived = Array(piece.prefix(count))
                lines.withLock { $0.take(arrived) }
            }
        }
    }

    func hangUp() { connection.shutdown() }
}
