import MildamRelayAPI

/// Forgets claims whose answer nobody asks for again.
struct DropClaims: StoreOperation {
    /// Milliseconds since 1970.
    let cutoff: Int64

    /// For how long a claim gets the same answer, in milliseconds: an hour.
    static let lifetime: Int64 = 3_600_000
    /// Claims that one step forgets.
    static let claimsAtOnce = 200

    /// - Returns: whether there may be more to drop.
    func judge(_ facts: inout Facts, at now: Int64) throws(Missing) -> Result<Bool, APIError> {
        .success(try facts.dropClaims(storedBefore: cutoff))
    }
}
