/// What somebody may do in a room.
public enum MemberRole: String, Codable, Sendable, CaseIterable {
    /// Talks.
    case member
    /// Brings in and puts out.
    case admin
    /// Says who may do what.
    case owner
}
