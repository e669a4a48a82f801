import MildamRelayAPI

/// Removes the second factor, for who shows it.
struct RemoveFactor: StoreOperation {
    let login: CheckedLogin
    let sender: Sender
    let factor: FactorCheck

    var prefetch: [FactKey] { login.prefetch }

    func judge(_ facts: inout Facts, at now: Int64) throws(Missing) -> Result<Void, APIError> {
        guard try SessionRules.stillHolds(login, &facts), try SessionRules.isAlive(sender, &facts) else {
            return .failure(LoginCheck.wrong)
        }
        guard try facts.factor(of: sender.account)?.isActive == true else { return .failure(.noSecondFactor) }
        if case .failure(let refusal) = try factor.judge(&facts, at: now) { return .failure(refusal) }
        facts.removeFactor(of: sender.account)
        try AuditRules.note(.secondFactorRemoved, on: sender.address, session: sender.session, &facts, at: now)
        return .success(())
    }
}
