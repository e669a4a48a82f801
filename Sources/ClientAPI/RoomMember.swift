import MildamIdentity

/// Somebody who is in a room.
public struct RoomMember: Codable, Equatable, Sendable {
    /// The account.
    public var account: AccountID
    /// What it is called; missing where that is not known yet.
    public var handle: Handle?
    /// What it may do.
    public var role: MemberRole
    /// The fingerprint of its identity key.
    public var fingerprint: String
    /// Whether another key was seen for it before.
    public var differs: Bool
    /// Whether it has a seat and no device in the group.
    public var isSeated: Bool

    /// Makes a member.
    public init(
        account: AccountID,
        handle: Handle? = nil,
        role: MemberRole,
        fingerprint: String,
        differs: Bool = false,
        isSeated: Bool = false
    ) {
        self.account = account
        self.handle = handle
        self.role = role
        self.fingerprint = fingerprint
        self.differs = differs
        self.isSeated = isSeated
    }

    /// - Throws: `outOfRange`.
    func check() throws(ClientLineDefect) { try ClientText.check(fingerprint, "fingerprint", 1...128) }
}
