import MildamRelayAPI

/// Puts another authenticator in the place of the old; every session but the caller's is over.
struct ChangePassword: StoreOperation {
    let login: CheckedLogin
    let sender: Sender
    let verifier: SaltedVerifier
    let factor: FactorCheck

    var prefetch: [FactKey] { login.prefetch }

    func judge(_ facts: inout Facts, at now: Int64) throws(Missing) -> Result<Void, APIError> {
        guard try SessionRules.stillHolds(login, &facts), try SessionRules.isAlive(sender, &facts) else {
            return .failure(LoginCheck.wrong)
        }
        if case .failure(let refusal) = try factor.judge(&facts, at: now) { return .failure(refusal) }
        facts.set(verifier: verifier, of: sender.account)
        // The old verifier leaves the log as well.
        facts.changes.deletes = true
        try AuditRules.note(.passwordChanged, on: sender.address, session: sender.session, &facts, at: now)
        try SessionRules.end(of: sender.account, as: .sessionEnded, &facts, at: now) { $0.id != sender.session }
        return .success(())
    }
}
