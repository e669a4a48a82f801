import MildamIdentity

/// Somebody who was looked up.
public struct FoundContact: Codable, Equatable, Sendable {
    /// What the account is called.
    public var handle: Handle
    /// The account.
    public var account: AccountID
    /// The fingerprint of its identity key.
    public var fingerprint: String
    /// Whether the profile has met it just now, and not before.
    public var isNew: Bool

    /// Makes a contact.
    public init(handle: Handle, account: AccountID, fingerprint: String, isNew: Bool) {
        self.handle = handle
        self.account = account
        self.fingerprint = fingerprint
        self.isNew = isNew
    }

    /// - Throws: `outOfRange`.
    func check() throws(ClientLineDefect) { try ClientText.check(fingerprint, "fingerprint", 1...128) }
}
