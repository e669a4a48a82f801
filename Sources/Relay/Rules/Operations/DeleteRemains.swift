import MildamRelayAPI

/// Takes one step of what is still to be deleted.
struct DeleteRemains: StoreOperation {
    let remains: Remains

    func judge(_ facts: inout Facts, at now: Int64) throws(Missing) -> Result<Void, APIError> {
        if try !remains.step(&facts) { facts.finish(remains) }
        return .success(())
    }
}
