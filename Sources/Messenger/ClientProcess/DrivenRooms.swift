import MildamClientStore
import MildamProfile

/// The rooms of a profile while its client runs, connected to the relay whenever that can be reached; none where the profile
/// has no account.
public struct DrivenRooms: Sendable {
    /// The rooms, as windows use them.
    public let service: any RoomService
    /// Their files on their way; `nil` where the profile has no account.
    public let files: FileTransfers?
    /// What strangers ask; `nil` where the profile has no account.
    public var requests: (any RequestService)? { rooms }
    private let rooms: GroupRooms<RoomStore>?
    private let driving: Task<Void, Never>?

    /// Begins to drive the rooms of a profile.
    ///
    /// - Parameter hold: the profile, which stays held until the rooms are done with it.
    /// - Throws: `MessengerError` where the profile cannot be opened; ``RoomFault`` where what is stored of its rooms cannot be
    ///   read.
    public init(of messenger: Messenger, holding hold: HeldProfile) async throws {
        try await self.init(of: messenger, holding: hold, remembering: nil)
    }

    /// The same.
    ///
    /// - Parameter memory: what those knew who drove the rooms before.
    init(of messenger: Messenger, holding hold: HeldProfile, remembering memory: RoomMemory?) async throws {
        guard try await DrivenRooms.hasAccount(messenger) else {
            service = NoRooms()
            files = nil
            rooms = nil
            driving = nil
            return
        }
        let rooms = try await GroupRooms(of: messenger)
        if let memory { await rooms.remember(memory) }
        self.rooms = rooms
        service = rooms
        let files = FileTransfers(messenger, rooms: rooms)
        // What cannot be read of them keeps nobody from reading rooms.
        try? await files.begin()
        self.files = files
        driving = Task {
            await rooms.run()
            withExtendedLifetime(hold) {}
        }
    }

    private static func hasAccount(_ messenger: Messenger) async throws(MessengerError) -> Bool {
        do throws(MessengerError) {
            _ = try await messenger.accountSummary()
            return true
        } catch {
            guard case .noAccount = error else { throw error }
            return false
        }
    }

    /// Disconnects, and waits until nothing goes on any more, but not longer than this: a step is whole or was not made.
    public func stop(within limit: Duration) async {
        guard let driving else { return }
        driving.cancel()
        let files = files
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        Task {
            await files?.stop()
            await driving.value
            end.finish()
        }
        let patience = Task {
            try? await Task.sleep(for: limit)
            end.finish()
        }
        for await _ in ends {}
        patience.cancel()
    }

    /// What a client serves of them, beside what a book knows.
    func service(with book: MessengerBook) -> ClientService {
        ClientService(rooms: service, book: book, files: files, requests: requests)
    }

    /// Ends the rooms: nothing of them is stored from here on, whatever still goes on.
    ///
    /// - Returns: what is not stored, for who drives them next.
    func retire() async -> RoomMemory? { await rooms?.retire() }
}
