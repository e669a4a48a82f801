import MildamIdentity
import MildamRelayAPI

/// Deletes an account, for its owner.
struct DeleteAccount: StoreOperation {
    let login: CheckedLogin
    let sender: Sender
    let factor: FactorCheck
    let removal: AccountRemoval

    var prefetch: [FactKey] { login.prefetch + [.memberships(sender.account), .devices(sender.account)] }

    func judge(_ facts: inout Facts, at now: Int64) throws(Missing) -> Result<Void, APIError> {
        guard try SessionRules.stillHolds(login, &facts), try SessionRules.isAlive(sender, &facts) else {
            return .failure(LoginCheck.wrong)
        }
        if case .failure(let refusal) = try factor.judge(&facts, at: now) { return .failure(refusal) }
        try removal.perform(&facts, at: now)
        return .success(())
    }
}
