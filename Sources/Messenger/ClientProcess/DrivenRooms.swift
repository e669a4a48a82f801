import MildamProfile

/// The rooms of a profile while its client runs, connected to the relay whenever that can be reached; none where the profile
/// has no account.
public struct DrivenRooms: Sendable {
    /// The rooms, as windows use them.
    public let service: any RoomService
    private let driving: Task<Void, Never>?

    /// Begins to drive the rooms of a profile.
    ///
    /// - Parameter hold: the profile, which stays held until the rooms are done with it.
    /// - Throws: `MessengerError` where the profile cannot be opened; ``RoomFault`` where what is stored of its rooms cannot be
    ///   read.
    public init(of messenger: Messenger, holding hold: HeldProfile) async throws {
        guard try await DrivenRooms.hasAccount(messenger) else {
            service = NoRooms()
            driving = nil
            return
        }
        let rooms = try await GroupRooms(of: messenger)
        service = rooms
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
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        Task {
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
}
