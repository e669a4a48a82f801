import MildamIdentity
import MildamRelayAPI

/// Ends a session of the caller's account.
struct EndSession: StoreOperation {
    let session: SessionID
    let sender: Sender

    var prefetch: [FactKey] { [.sessions(sender.account), .audit(sender.account)] }

    func judge(_ facts: inout Facts, at now: Int64) throws(Missing) -> Result<Void, APIError> {
        guard try SessionRules.isAlive(sender, &facts) else { return .failure(.sessionIsOver) }
        let ended = try SessionRules.end(of: sender.account, as: .sessionEnded, &facts, at: now) { $0.id == session }
        return ended > 0 ? .success(()) : .failure(.unknownSession)
    }
}
