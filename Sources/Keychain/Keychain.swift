/// What Keychain Services do, of a keychain in this process or of the agent's.
///
/// The calls are synchronous, as `SecItemAdd` and its like are; each takes tens of microseconds, and a change as long as
/// the disk takes to sync.
public protocol Keychain: Sendable {
    /// Adds an item (`SecItemAdd`).
    ///
    /// - Returns: which one it is from now on.
    /// - Throws: `duplicateItem`, also for one of another group where the owner's own tool names none; `invalidRequest`,
    ///   `locked`, `needsPassphrase`, `accessGroupDenied`.
    @discardableResult
    func add(_ item: NewItem) throws(KeychainError) -> ItemReference

    /// The items that match (`SecItemCopyMatching`), in the order in which they were added.
    ///
    /// - Parameters:
    ///   - limit: how many; one, unless asked.
    ///   - returningSecrets: whether what they protect is wanted; if not, a locked keychain answers, too.
    /// - Throws: `itemNotFound` when nothing matches; `locked`; `damagedItem` when one that may match does not open.
    func copyMatching(
        _ query: KeychainQuery,
        limit: KeychainQuery.Limit,
        returningSecrets: Bool
    ) throws(KeychainError) -> [KeychainItem]

    /// Changes all items that match, in one transaction (`SecItemUpdate`).
    ///
    /// - Returns: how many.
    /// - Throws: `itemNotFound`; `duplicateItem` when one would take another's primary key: none is changed then.
    @discardableResult
    func update(_ query: KeychainQuery, _ change: ItemChange) throws(KeychainError) -> Int

    /// Deletes all items that match, in one transaction (`SecItemDelete`).
    ///
    /// - Returns: how many.
    /// - Throws: `itemNotFound`.
    @discardableResult
    func delete(_ query: KeychainQuery) throws(KeychainError) -> Int

    /// Adds the item, or updates the one with its primary key: in one transaction, and nothing is deleted first. Where the
    /// owner's own tool names no group, that is the one of any group.
    ///
    /// - Throws: as for ``add(_:)``, but never `duplicateItem`; `ambiguousItem`.
    @discardableResult
    func set(_ item: NewItem) throws(KeychainError) -> ItemReference
}

extension Keychain {
    /// The first item that matches, with what it protects.
    ///
    /// - Throws: `itemNotFound` when nothing matches; `locked`.
    public func item(_ query: KeychainQuery) throws(KeychainError) -> KeychainItem {
        let items = try copyMatching(query, limit: .one, returningSecrets: true)
        guard let first = items.first else { throw .itemNotFound }
        return first
    }

    /// What a password's entry holds: ``KeychainEntry``.
    public subscript(query: KeychainQuery) -> KeychainEntry { KeychainEntry(self, query) }
}
