import MildamIdentity

/// The blocked accounts of a handle.
public struct BlockedRow: Codable, Equatable, Sendable {
    /// The handle.
    public var handle: Handle
    /// Whether the account that one knows under it is blocked.
    public var hasPinned: Bool
    /// How many others are, which only call themselves so.
    public var claims: Int

    /// Makes a row.
    public init(handle: Handle, hasPinned: Bool, claims: Int) {
        self.handle = handle
        self.hasPinned = hasPinned
        self.claims = claims
    }
}
