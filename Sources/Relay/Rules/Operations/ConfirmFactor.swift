import MildamRelayAPI

/// Confirms a second factor that waits, with a code: from here on logging in takes one.
struct ConfirmFactor: StoreOperation {
    let code: String
    let sender: Sender
    /// What the account's recovery codes will be held against.
    let recovery: [SaltedVerifier]
    let keys: CodeKeys

    var prefetch: [FactKey] {
        let account = sender.account
        return [.account(account), .sessions(account), .factor(account), .recoveryCodes(account), .audit(account)]
    }

    func judge(_ facts: inout Facts, at now: Int64) throws(Missing) -> Result<Void, APIError> {
        let account = sender.account
        guard try SessionRules.isAlive(sender, &facts) else { return .failure(.sessionIsOver) }
        guard var factor = try facts.factor(of: account) else { return .failure(.noSecondFactor) }
        guard !factor.isActive else { return .failure(.secondFactorActive) }
        guard let (_, token) = try factor.open(of: account, under: keys, &facts) else {
            return .failure(.unreadableSecret)
        }
        switch factor.state.present(code, to: token, at: now / 1000) {
        case .locked(let seconds): return .failure(.codesLocked(seconds))
        case .refused(let state):
            factor.state = state
            facts.put(factor, of: account)
            facts.keepRefusal()
            return .failure(.wrongCode)
        case .accepted(let state):
            factor.state = state
            factor.isActive = true
            facts.put(factor, of: account)
            for code in recovery { facts.add(code, to: account) }
            try AuditRules.note(.secondFactorAdded, on: sender.address, session: sender.session, &facts, at: now)
            return .success(())
        }
    }
}
