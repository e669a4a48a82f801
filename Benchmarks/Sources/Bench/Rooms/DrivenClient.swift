import MildamClientCore
import MildamClientStore
import MildamIdentity
import MildamMessenger
import MildamProfile

/// A client of a profile: over the profile's own database, as its process drives it.
struct DrivenClient: Sendable {
    let handle: Handle
    let rooms: GroupRooms<RoomStore>

    /// Somebody with an account, whose client does not run yet.
    ///
    /// - Parameter home: the folder of profiles.
    init(_ name: String, in home: String, on house: RoomHouse) async throws {
        let messenger = Messenger(profile: OpenProfile(folder: home + "/" + name))
        let handle = try Handle(name)
        try await messenger.createAccount(
            handle,
            at: house.url,
            password: Password(copying: Array("a long password".utf8).span)
        )
        self.handle = handle
        rooms = try await GroupRooms(of: messenger)
    }

    /// A room, as the client has it.
    func overview(of room: RoomID) async -> RoomOverview? { await rooms.rooms().first { $0.room == room } }

    /// Comes into a room, once the invitation is there.
    func accept(_ room: RoomID) async throws {
        try await until {
            let standing = await overview(of: room)?.standing
            return standing == .requested || standing == .invited
        }
        let wish = MessageID.random()
        try await rooms.wish(.accept, in: room, as: wish)
        guard case .done = await rooms.outcome(of: wish) else { throw BenchError("\(handle) does not come in") }
    }

    /// Waits until something is so, a minute at most.
    func until(_ isSo: () async throws -> Bool) async throws {
        let end = nanoseconds() + 60_000_000_000
        while try await !isSo() {
            guard nanoseconds() < end else { throw BenchError("the client of \(handle) does not come on") }
            try await Task.sleep(for: .milliseconds(1))
        }
    }
}
