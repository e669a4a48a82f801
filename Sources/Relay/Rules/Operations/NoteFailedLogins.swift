import MildamIdentity
import MildamRelayAPI

/// Writes down logins that failed, for the accounts that are still there.
struct NoteFailedLogins: StoreOperation {
    let counts: [AccountID: Int]

    var prefetch: [FactKey] { counts.keys.flatMap { [.account($0), .audit($0)] } }

    func judge(_ facts: inout Facts, at now: Int64) throws(Missing) -> Result<Void, APIError> {
        for (account, count) in counts where try facts.account(account)?.handle != nil {
            try AuditRules.note(.loginFailed, of: account, count: count, &facts, at: now)
        }
        return .success(())
    }
}
