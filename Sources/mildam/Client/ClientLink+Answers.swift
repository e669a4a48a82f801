import MildamClientAPI
import MildamIdentity
import MildamMessenger

/// Asks, with the answers that belong to them.
extension ClientLink {
    /// How the client is.
    ///
    /// - Parameter ask: `status`, or `reach`.
    func howItIs(_ ask: ClientAsk = .status) async throws(ClientLinkError) -> ClientStatus {
        guard case .status(let status) = try await self.ask(ask) else { throw .misunderstood(.unknown) }
        return status
    }

    /// Has something said.
    ///
    /// - Parameters:
    ///   - id: under which id: the same text under the same id is said once.
    ///   - limit: how long it may take until it is taken on.
    func say(
        _ text: String,
        in room: RoomID,
        as id: MessageID,
        within limit: Duration
    ) async throws(ClientLinkError) {
        guard case .wished = try await ask(.send(room: room, text: text, id: id), within: limit) else {
            throw .misunderstood(.unknown)
        }
    }

    /// What came of a wish in so many seconds.
    func outcome(of wish: MessageID, within seconds: Int) async throws(ClientLinkError) -> WishOutcome {
        guard case .outcome(let outcome) = try await ask(.outcome(of: wish, seconds: seconds)) else {
            throw .misunderstood(.unknown)
        }
        return outcome
    }
}
