import MildamIdentity

/// The blocked accounts of a handle.
public struct BlockedRow: Codable, Equatable, Sendable {
    /// The handle.
    public var handle: Handle
    /// Whether the account that one knows under it is blocked.
    public var hasPinned: Bool
    /// How many others are, which only call themselves so.
    public var claims: Int
    /// What the relay would not be told, of these accounts or of others; missing where there is nothing.
    public var refused: [StandingRefusal]?

    /// Makes a row.
    public init(handle: Handle, hasPinned: Bool, claims: Int, refused: [StandingRefusal]? = nil) {
        self.handle = handle
        self.hasPinned = hasPinned
        self.claims = claims
        self.refused = refused
    }
}
