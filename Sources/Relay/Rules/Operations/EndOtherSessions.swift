import MildamRelayAPI

/// Ends every session of the caller's account but its own.
struct EndOtherSessions: StoreOperation {
    let sender: Sender

    var prefetch: [FactKey] { [.sessions(sender.account), .audit(sender.account)] }

    func judge(_ facts: inout Facts, at now: Int64) throws(Missing) -> Result<Void, APIError> {
        guard try SessionRules.isAlive(sender, &facts) else { return .failure(.sessionIsOver) }
        try SessionRules.end(of: sender.account, as: .sessionEnded, &facts, at: now) { $0.id != sender.session }
        return .success(())
    }
}
