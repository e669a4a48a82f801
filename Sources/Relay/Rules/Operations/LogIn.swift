import MildamRelayAPI

/// Begins a session after a login that was found to be right, if that still holds and the second factor is there.
///
/// The code's step, or the recovery code, is used up in the transaction that begins the session: neither is there
/// without the other, whatever the power does.
struct LogIn: StoreOperation {
    let login: CheckedLogin
    let family: RefreshFamily
    /// The thumbprint of the key that the session is bound to; `nil` for none.
    let thumbprint: String?
    let factor: FactorCheck

    var prefetch: [FactKey] { login.prefetch }

    func judge(_ facts: inout Facts, at now: Int64) throws(Missing) -> Result<Void, APIError> {
        guard try SessionRules.stillHolds(login, &facts) else { return .failure(LoginCheck.wrong) }
        if case .failure(let refusal) = try factor.judge(&facts, at: now) { return .failure(refusal) }
        let address = login.address
        try SessionRules.begin(family, for: address, boundTo: thumbprint, &facts)
        try AuditRules.note(.loggedIn, on: address, session: family.session, &facts, at: now)
        return .success(())
    }
}

extension CheckedLogin {
    /// What is asked for wherever a login or an owner's proof is acted upon.
    var prefetch: [FactKey] {
        let account = address.account
        return [.account(account), .device(address), .sessions(account), .factor(account), .audit(account)]
    }
}
