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
    /// - Parameter id: under which id: the same text under the same id is said once.
    func say(_ text: String, in room: RoomID, as id: MessageID = .random()) async throws(ClientLinkError) -> MessageID {
        guard case .wished(let wish) = try await ask(.send(room: room, text: text, id: id)) else {
            throw .misunderstood(.unknown)
        }
        return wish
    }

    /// What came of a wish in so many seconds.
    func outcome(of wish: MessageID, within seconds: Int) async throws(ClientLinkError) -> WishOutcome {
        guard case .outcome(let outcome) = try await ask(.outcome(of: wish, seconds: seconds)) else {
            throw .misunderstood(.unknown)
        }
        return outcome
    }
}
