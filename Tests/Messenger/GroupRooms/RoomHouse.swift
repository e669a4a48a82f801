import Foundation
import MildamClientCore
import MildamContent
import MildamCrypto
import MildamIdentity
import MildamProfile
import MildamRelay
import MildamRoomRules
import MildamSystem
import TestSupport
import Testing

@testable import MildamMessenger

/// A relay, and people whose clients drive their rooms over it.
final class RoomHouse: Sendable {
    static var password: Password { Password(copying: Array("a long password".utf8).span) }

    let folder: TemporaryFolder
    private let server: Lock<RelayServer>
    private let configuration: Lock<RelayConfiguration>

    init(configure: (inout RelayConfiguration) -> Void = { _ in }) throws {
        folder = try TemporaryFolder()
        var configuration = RelayConfiguration(dataFolder: folder.file("relay"), address: .loopback(port: 0))
        configuration.limitsRates = false
        configure(&configuration)
        let first = try RelayServer(configuration)
        configuration.address = first.address
        server = Lock(first)
        self.configuration = Lock(configuration)
    }

    /// Its address.
    var url: String { server.withLock { $0.url } }

    /// The relay goes away.
    func stop() async { await server.withLock { $0 }.stop() }

    /// The relay is there again, at the same address.
    func start() throws {
        let again = try RelayServer(configuration.withLock { $0 })
        server.withLock { $0 = again }
    }

    /// Somebody with an account, whose client runs.
    func person(_ name: String) async throws -> RoomPerson {
        let profile = OpenProfile(folder: folder.file(name))
        let messenger = Messenger(profile: profile)
        try await messenger.createAccount(Handle(name), at: url, password: Self.password)
        let person = try await RoomPerson(Handle(name), profile, TestRoomStore())
        try await until { try await person.rooms.stock() > 0 }
        return person
    }
}

/// Somebody whose client runs.
final class RoomPerson: Sendable {
    let handle: Handle
    let profile: OpenProfile
    let store: TestRoomStore
    let rooms: GroupRooms<TestRoomStore>
    private let running: Lock<Task<Void, Never>?>

    init(_ handle: Handle, _ profile: OpenProfile, _ store: TestRoomStore) async throws {
        (self.handle, self.profile, self.store) = (handle, profile, store)
        let rooms = try await GroupRooms(Messenger(profile: profile), store: store)
        self.rooms = rooms
        running = Lock(Task { await rooms.run() })
    }

    deinit { running.withLock { $0 }?.cancel() }

    /// The client goes on where it was, as another process.
    func restarted() async throws -> RoomPerson {
        await goOffline()
        return try await RoomPerson(handle, profile, store)
    }

    /// Its connection ends, and no other is made.
    func goOffline() async {
        let task = running.withLock { $0 }
        task?.cancel()
        await task?.value
    }

    /// Its connection is made again.
    func comeBack() { running.withLock { $0 = Task { [rooms] in await rooms.run() } } }

    /// Wants something, and waits until it is so.
    @discardableResult
    func get(_ wish: Wish, in room: RoomID, _ location: SourceLocation = #_sourceLocation) async throws -> MessageID {
        let id = try await begin(wish, in: room)
        let outcome = await rooms.outcome(of: id)
        guard case .done = outcome else {
            Issue.record("\(outcome)", sourceLocation: location)
            throw CancellationError()
        }
        return id
    }

    /// Wants something.
    func begin(_ wish: Wish, in room: RoomID) async throws -> MessageID {
        let id = MessageID.random()
        try await rooms.wish(wish, in: room, as: id)
        return id
    }

    func say(_ text: String, in room: RoomID) async throws {
        try await get(.say(try TextContent(text).part, inReplyTo: nil, blobs: []), in: room)
    }

    /// Makes a room, and waits until the relay has it.
    func makeRoom(_ name: String) async throws -> RoomID {
        let room = RoomID.random()
        try await rooms.make(room, RoomInfo(name: name), [.membersInvite, .membersDescribe])
        try await until {
            guard let overview = await self.overview(of: room) else { return false }
            return overview.standing == .member && overview.wishes.isEmpty
        }
        return room
    }

    /// Brings somebody in, who accepts.
    func invite(_ other: RoomPerson, to room: RoomID) async throws {
        let found = try await rooms.find(other.handle)
        try await get(.invite(found.account, found.identity), in: room)
        try await until {
            let standing = await other.standing(in: room)
            return standing == .requested || standing == .invited
        }
        try await other.get(.accept, in: room)
    }

    func overview(of room: RoomID) async -> RoomOverview? { await rooms.rooms().first { $0.room == room } }

    func standing(in room: RoomID) async -> RoomOverview.Standing? { await overview(of: room)?.standing }

    /// What was said, in its order.
    func texts(in room: RoomID) async throws -> [String] {
        try await rooms.entries(of: room, .last(count: 1000)).compactMap { entry in
            guard case .content(let bytes) = entry.kind, let content = try? MimiContent(encoded: bytes),
                case .text(let text) = content.kind
            else { return nil }
            return text.text
        }
    }
}

extension GroupRooms {
    /// How many key packages others can claim.
    func stock() async throws -> Int {
        try await relay.door.ask { (relay, access) throws(MessengerError) in try await relay.keyPackages(access) }.left
    }

    /// How many accounts stand behind each GroupInfo that the relay has of a room.
    func groupInfoAccounts(of room: RoomID) async throws -> [Int] {
        let state = try await relay.door.ask { (relay, access) throws(MessengerError) in
            try await relay.group(room, access)
        }
        return state.groupInfos.map { Int($0.accounts) }
    }

    /// The last number of a room, and the last one that the relay says each other member has.
    func numbers(of room: RoomID) async throws -> (last: UInt64, delivered: UInt64?) {
        let state = try await relay.door.ask { (relay, access) throws(MessengerError) in
            try await relay.room(room, access)
        }
        return (state.next - 1, state.delivered)
    }

    /// The connection breaks.
    func hangUp() { link?.socket.close() }

    /// Whether the relay was asked to tell of a room.
    func follows(_ room: RoomID) -> Bool { link?.followed.contains(room) ?? false }

    /// As many rooms as may be are followed, and none that there is.
    func followOthers() { link?.followed = Set((0..<RoomLink.mostFollowed).map { _ in RoomID.random() }) }
}

/// Waits until something is so, 30 seconds at most.
func until(
    _ location: SourceLocation = #_sourceLocation,
    _ condition: @Sendable () async throws -> Bool
) async throws {
    let end = ContinuousClock.now + .seconds(30)
    while ContinuousClock.now < end {
        if try await condition() { return }
        try await Task.sleep(for: .milliseconds(20))
    }
    Issue.record("it did not come to be", sourceLocation: location)
    throw CancellationError()
}

/// That all are in one epoch of a room, and have read the same.
func expectSame(
    _ people: [RoomPerson],
    in room: RoomID,
    _ location: SourceLocation = #_sourceLocation
) async throws {
    try await until(location) {
        var seen: Set<[UInt8]> = []
        var lasts: Set<UInt64> = []
        for person in people {
            guard let overview = await person.overview(of: room),
                let authenticator = overview.epochAuthenticator
            else { return false }
            seen.insert(authenticator)
            lasts.insert(overview.last)
        }
        return seen.count == 1 && lasts.count == 1
    }
}

extension Messenger {
    /// Has somebody known under this key.
    func keepPin(
        of handle: Handle,
        _ account: AccountID,
        _ key: Curve25519.Signing.PublicKey
    ) async throws(MessengerError) {
        try await alone { (messenger, store) throws(MessengerError) in
            try messenger.keep(AccountPin(handle: handle, account: account, identityKey: key, state: .seen), store)
        }
    }
}
