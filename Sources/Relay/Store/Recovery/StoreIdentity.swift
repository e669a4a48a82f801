import MildamIdentity

/// Which store a relay has.
struct StoreIdentity: Equatable, Sendable {
    /// Another one after the store was put back.
    let incarnation: IncarnationID
    /// When it was put back last, in milliseconds since 1970; 0 for never.
    let restored: Int64
}
