import MildamIdentity
import MildamRelayAPI

/// Ends an account's sessions, or one of them, for whoever runs the relay.
struct OperatorLogOut: StoreOperation {
    let handle: Handle
    let session: SessionID?

    func judge(_ facts: inout Facts, at now: Int64) throws(Missing) -> Result<OperatorAnswer, APIError> {
        guard let account = try facts.account(named: handle.text) else { return .failure(.noSuchAccount) }
        let ended = try SessionRules.end(of: account, as: .operatorEndedSession, &facts, at: now) {
            session == nil || $0.id == session
        }
        guard session == nil || ended > 0 else { return .failure(.unknownSession) }
        return .success(.done(count: ended))
    }
}
