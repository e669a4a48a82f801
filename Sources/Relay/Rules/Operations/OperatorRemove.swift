import MildamIdentity
import MildamRelayAPI

/// Deletes an account, for whoever runs the relay.
struct OperatorRemove: StoreOperation {
    let handle: Handle
    /// What stands in a handle's place from here on.
    let tombstone: @Sendable (Handle) -> String

    func judge(_ facts: inout Facts, at now: Int64) throws(Missing) -> Result<OperatorAnswer, APIError> {
        guard let account = try facts.account(named: handle.text) else { return .failure(.noSuchAccount) }
        try AccountRemoval(account: account, tombstone: tombstone).perform(&facts, at: now)
        return .success(.done(count: 1))
    }
}
