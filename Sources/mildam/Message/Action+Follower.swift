import MildamIdentity
import MildamMessenger

extension Action {
    /// Follows the profile's rooms, from one client to the next.
    ///
    /// - Parameters:
    ///   - shown: rooms of which what comes after a number is told.
    ///   - hear: called with each event.
    func follower(
        after shown: [RoomID: UInt64] = [:],
        _ hear: @escaping @Sendable (RoomFollower.Event) async -> Void
    ) -> RoomFollower {
        RoomFollower(after: shown, next: { try await nextClient() }, hear: hear)
    }

    /// The client that runs after another one has ended. Who ended that may want the profile, or be about to start the next:
    /// only when nobody does, one is started. Nothing is asked for it: a conversation has the terminal.
    private func nextClient() async throws -> ClientLink {
        if startsNoClient { throw MessengerError.wrongUse("another command has ended the client that this one was") }
        let place = try place()
        for _ in 0..<10 {
            if let link = try ClientProgram.running(at: place) { return link }
            try await Task.sleep(for: .milliseconds(200))
        }
        return try await clientProgram.client(of: place) {}
    }
}
