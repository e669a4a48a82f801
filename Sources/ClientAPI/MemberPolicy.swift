/// What members may do without a role.
public struct MemberPolicy: Codable, Equatable, Sendable {
    /// Bring somebody in.
    public var invite: Bool
    /// Put somebody out, but for an owner.
    public var remove: Bool
    /// Change what the room is called, and its timer.
    public var describe: Bool

    /// Makes a policy.
    public init(invite: Bool, remove: Bool, describe: Bool) {
        self.invite = invite
        self.remove = remove
        self.describe = describe
    }
}
