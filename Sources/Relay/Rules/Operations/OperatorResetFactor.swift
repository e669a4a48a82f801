import MildamIdentity
import MildamRelayAPI

/// Removes an account's second factor, for whoever runs the relay.
struct OperatorResetFactor: StoreOperation {
    let handle: Handle

    func judge(_ facts: inout Facts, at now: Int64) throws(Missing) -> Result<OperatorAnswer, APIError> {
        guard let account = try facts.account(named: handle.text) else { return .failure(.noSuchAccount) }
        let wasActive = try facts.factor(of: account)?.isActive == true
        facts.removeFactor(of: account)
        guard wasActive else { return .success(.done(count: 0)) }
        try AuditRules.note(.operatorRemovedSecondFactor, of: account, &facts, at: now)
        return .success(.done(count: 1))
    }
}
