import MildamRelayAPI

/// Ends the sessions that were not refreshed for too long.
struct EndIdleSessions: StoreOperation {
    func judge(_ facts: inout Facts, at now: Int64) throws(Missing) -> Result<Void, APIError> {
        facts.removeSessions(unusedSince: now / 1000 - RefreshFamily.idleLifetime)
        return .success(())
    }
}
