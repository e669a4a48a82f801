/// A keychain that also keeps, for a while, what somebody removes or replaces: for what people do by hand.
///
/// What ``Keychain`` itself does stays final: ``Keychain/delete(_:)`` takes along whatever is kept of an item, and
/// ``Keychain/update(_:_:)`` and ``Keychain/set(_:)`` keep nothing. A spent token and a counter that has gone on leave no
/// trace. What is kept is sealed as it was, and is part of no export.
public protocol KeychainWithPast: Keychain {
    /// Removes an item, and keeps it for ``PastItem/retention``, with its former values. A locked keychain does that, too.
    ///
    /// - Returns: what is kept.
    /// - Throws: `itemNotFound`; `damagedItem`.
    @discardableResult
    func trash(_ reference: ItemReference) throws(KeychainError) -> PastItem

    /// Changes an item as ``Keychain/update(_:_:)`` does. Where it gets another secret, the one that it had is kept: the last
    /// ``PastItem/maximumValues`` are.
    ///
    /// - Parameter time: the item's `modificationDate` when it was looked at, in milliseconds since 1970. With `nil` it is
    ///   changed whatever others have made of it since. Each change gives an item a later date than it had.
    /// - Throws: `itemNotFound`, `duplicateItem`, `locked`; `changedMeanwhile` when the item has another date by now.
    func replace(
        _ reference: ItemReference,
        _ change: ItemChange,
        unlessChangedSince time: Int64?
    ) throws(KeychainError)

    /// What is kept of an item or, without one, of all, in the order in which it was put away. A locked keychain tells that,
    /// too.
    ///
    /// - Throws: `damagedPast`; `locked` for one that was never opened.
    func past(of reference: ItemReference?) throws(KeychainError) -> [PastItem]

    /// What a past item protected.
    ///
    /// - Parameter number: that of a ``PastItem``.
    /// - Throws: `itemNotFound`, `damagedPast`, `locked`.
    func pastSecret(_ number: Int64) throws(KeychainError) -> SecretValue

    /// Puts an item that was removed back as it was or, where the item is there, gives it its former secret again and keeps
    /// the one that it has. What was put back is kept no longer.
    ///
    /// - Parameter number: that of a ``PastItem``.
    /// - Returns: the item.
    /// - Throws: `itemNotFound`, `damagedPast`, `locked`; `duplicateItem` when another item has its primary key by now.
    @discardableResult
    func restore(_ number: Int64) throws(KeychainError) -> ItemReference

    /// The same, where the item stands as it did when somebody looked at it.
    ///
    /// - Parameter time: its `modificationDate` then, in milliseconds since 1970; `nil` where it was removed.
    /// - Throws: also `changedMeanwhile`; nothing is changed then.
    @discardableResult
    func restore(_ number: Int64, unlessChangedSince time: Int64?) throws(KeychainError) -> ItemReference

    /// Takes away for good what is kept.
    ///
    /// - Parameter number: that of a ``PastItem``; `nil` for every item that was removed, with its former values.
    /// - Returns: how many past items, or how many removed ones.
    /// - Throws: `itemNotFound` where a number is none; `damagedPast`.
    @discardableResult
    func forget(_ number: Int64?) throws(KeychainError) -> Int

    /// Removes an item for good, with what is kept of it and, in the same change, the copies of earlier states, which hold
    /// it still. Who is interrupted finds either the item, or nothing of it.
    ///
    /// - Throws: `itemNotFound`; `damagedItem`; `io` where the copies cannot be deleted: the item stays then.
    func erase(_ reference: ItemReference) throws(KeychainError)
}

extension KeychainWithPast {
    /// Changes an item whatever others have made of it meanwhile, and keeps the secret that it had.
    ///
    /// - Throws: `itemNotFound`, `duplicateItem`, `locked`.
    public func replace(_ reference: ItemReference, _ change: ItemChange) throws(KeychainError) {
        try replace(reference, change, unlessChangedSince: nil)
    }
}
