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
        let dropped = Dictionary(grouping: found, by: \.room).mapValues { $0.map(\.blob) }
        for (room, blobs) in dropped { remove(blobs, of: room) }
        return found.count == Remains.blobsAtOnce
    }
}
