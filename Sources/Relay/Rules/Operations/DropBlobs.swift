import MildamIdentity
import MildamRelayAPI

/// Drops whole blobs that were stored before a moment.
struct DropBlobs: StoreOperation {
    /// Milliseconds since 1970.
    let cutoff: Int64

    /// - Returns: whether there may be more to drop.
    func judge(_ facts: inout Facts, at now: Int64) throws(Missing) -> Result<Bool, APIError> {
        .success(try facts.drop(.oldBlobs(whole: true, storedBefore: cutoff)))
    }
}

extension Facts {
    /// Drops the blobs that a key names, as many as one step takes.
    ///
    /// - Returns: whether there may be more.
    mutating func drop(_ key: FactKey) throws(Missing) -> Bool {
        let found = try blobs(key)
        for (room, blobs) in Dictionary(grouping: found, by: \.name.room) { remove(blobs, of: room) }
        return found.count == Remains.blobsAtOnce
    }
}
