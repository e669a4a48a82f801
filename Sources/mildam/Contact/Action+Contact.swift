import MildamClientAPI
import MildamMessenger
import MildamTerminal

/// People whom the profile meets, through its client: others go on with the profile while the relay is asked.
extension Action {
    /// Asks the client for what it asks the relay for; a terminal is told after a moment that it waits.
    func askRelay(_ ask: ClientAsk) async throws -> ClientAnswer {
        let link = try await accountClient()
        return try await awaiting(nil) { try await answer(to: ask, from: link) }
    }

    /// Somebody who is met, or whose key is believed.
    func contact(by ask: ClientAsk) async throws -> ContactRow {
        guard case .contact(var row) = try await askRelay(ask) else { throw ClientLinkError.misunderstood(.unknown) }
        tell(row.refused)
        row.refused = nil
        return row
    }

    /// Tells people what the relay would not be told of others.
    func tell(_ refused: [StandingRefusal]?) {
        for refusal in refused ?? [] { console.complain(shown("mildam: \(refusal.line)")) }
    }
}

extension StandingRefusal {
    /// What a person is told.
    fileprivate var line: String {
        let name = handle?.text ?? "somebody"
        return isBlock
            ? "the relay does not note that you block \(name): \(reason); their requests are dropped here all the same"
            : "the relay does not note that you know \(name): \(reason); what they send may find no place in your mailbox"
    }
}
