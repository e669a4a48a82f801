extension Keychain {
    /// What matches; nothing is an answer, too.
    public func all(_ query: KeychainQuery, returningSecrets: Bool) throws(KeychainError) -> [KeychainItem] {
        do throws(KeychainError) {
            return try copyMatching(query, limit: .all, returningSecrets: returningSecrets)
        } catch .itemNotFound {
            return []
        }
    }
}
