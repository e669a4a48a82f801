/// What is removed and replaced, and kept for a while.
extension LocalKeychain: KeychainWithPast {
    /// Removes an item, and keeps it for a while.
    @discardableResult
    public func trash(_ reference: ItemReference) throws(KeychainError) -> PastItem { try trash(reference, caller) }

    /// Changes an item, and keeps the secret that it had; with a time, only where the item was last changed then.
    public func replace(
        _ reference: ItemReference,
        _ change: ItemChange,
        unlessChangedSince time: Int64?
    ) throws(KeychainError) {
        try replace(reference, change, unlessChangedSince: time, caller)
    }

    /// What is kept of an item, or of all.
    public func past(of reference: ItemReference? = nil) throws(KeychainError) -> [PastItem] {
        try past(of: reference, caller)
    }

    /// What a past item protected.
    public func pastSecret(_ number: Int64) throws(KeychainError) -> SecretValue { try pastSecret(number, caller) }

    /// Puts a past item back.
    @discardableResult
    public func restore(_ number: Int64) throws(KeychainError) -> ItemReference { try restore(number, caller) }

    /// The same, where the item stands as it did.
    @discardableResult
    public func restore(
        _ number: Int64,
        unlessChangedSince time: Int64?
    ) throws(KeychainError) -> ItemReference {
        try restore(number, onto: SeenItem(time), caller)
    }

    /// Takes away for good what is kept.
    @discardableResult
    public func forget(_ number: Int64? = nil) throws(KeychainError) -> Int { try forget(number, caller) }

    /// Removes an item for good, with what is kept of it and the copies.
    public func erase(_ reference: ItemReference) throws(KeychainError) { try erase(reference, caller) }
}

/// The same on behalf of others: what the agent does.
extension LocalKeychain {
    func trash(_ reference: ItemReference, _ caller: Caller) throws(KeychainError) -> PastItem {
        try core.withLock { (core) throws(KeychainError) in try core.trash(reference, caller) }
    }

    func replace(
        _ reference: ItemReference,
        _ change: ItemChange,
        unlessChangedSince time: Int64?,
        _ caller: Caller
    ) throws(KeychainError) {
        try core.withLock { (core) throws(KeychainError) in
            try core.replace(reference, change, unlessChangedSince: time, caller)
        }
    }

    func past(
        of reference: ItemReference?,
        _ caller: Caller,
        atMost room: Int = .max
    ) throws(KeychainError) -> [PastItem] {
        try core.withLock { (core) throws(KeychainError) in try core.past(of: reference, caller, atMost: room) }
    }

    func pastSecret(_ number: Int64, _ caller: Caller) throws(KeychainError) -> SecretValue {
        try core.withLock { (core) throws(KeychainError) in try core.pastSecret(number, caller) }
    }

    func restore(
        _ number: Int64,
        onto seen: SeenItem? = nil,
        _ caller: Caller
    ) throws(KeychainError) -> ItemReference {
        try core.withLock { (core) throws(KeychainError) in try core.restore(number, onto: seen, caller) }
    }

    func forget(_ number: Int64?, _ caller: Caller) throws(KeychainError) -> Int {
        try core.withLock { (core) throws(KeychainError) in try core.forget(number, caller) }
    }

    func erase(_ reference: ItemReference, _ caller: Caller) throws(KeychainError) {
        try core.withLock { (core) throws(KeychainError) in try core.erase(reference, caller) }
    }
}
