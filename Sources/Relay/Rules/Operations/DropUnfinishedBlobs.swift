import MildamRelayAPI

/// Drops blobs that are not whole, or that no message names, and whose last piece came before a moment.
struct DropUnfinishedBlobs: StoreOperation {
    /// Milliseconds since 1970.
    let cutoff: Int64

    /// - Returns: whether there may be more to drop.
    func judge(_ facts: inout Facts, at now: Int64) throws(Missing) -> Result<Bool, APIError> {
        .success(try facts.drop(.oldBlobs(whole: false, storedBefore: cutoff)))
    }
}
