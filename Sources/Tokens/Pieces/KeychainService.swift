import MildamKeychain

/// One secret's place in a keychain: stored, read, deleted. The second of the article's three pieces.
///
/// Storing changes what is there in one transaction, on the disk when it returns: nothing is deleted first, so that there
/// is no moment without a secret. "Locked" and "damaged" are errors of their own, and never "there is none". The calls wait
/// for the disk; the keychain orders those of several threads and processes.
public struct KeychainService: Sendable {
    private let keychain: any Keychain
    private let query: KeychainQuery
    private let accessibility: Accessibility

    /// A place in a keychain.
    ///
    /// - Parameters:
    ///   - service: which program's, or for which server.
    ///   - account: whose.
    ///   - accessGroup: which programs may use it; `nil` for this one alone.
    ///   - accessibility: by default from the first unlocking on, and never part of an export: a refresh goes on behind a
    ///     locked screen, and a refresh token that is used in two places is taken for stolen.
    public init(
        _ keychain: any Keychain,
        service: String,
        account: String,
        accessGroup: String? = nil,
        accessibility: Accessibility = .afterFirstUnlockThisDeviceOnly
    ) {
        self.keychain = keychain
        var query = KeychainQuery.genericPassword(service: service, account: account)
        query.accessGroup = accessGroup
        self.query = query
        self.accessibility = accessibility
    }

    /// Puts a secret there; what is there stays until this is on the disk.
    ///
    /// - Throws: `KeychainError`: `locked`, `storage` when the disk is full, `damagedItem`.
    public func store(_ secret: SecretValue) throws(KeychainError) {
        try keychain[query].write(secret, accessibility: accessibility)
    }

    /// What is there; `nil` when nothing is.
    ///
    /// - Throws: `KeychainError`: `locked`, `damagedItem`: what cannot be read is never taken for missing.
    public func read() throws(KeychainError) -> SecretValue? { try keychain[query].read() }

    /// Takes away what is there.
    ///
    /// - Returns: whether there was something.
    /// - Throws: `KeychainError`.
    @discardableResult
    public func delete() throws(KeychainError) -> Bool { try keychain[query].remove() }
}
