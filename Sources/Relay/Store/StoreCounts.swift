/// How much a relay keeps, of all accounts together.
struct StoreCounts: Equatable, Sendable {
    /// Accounts, without those that were deleted.
    let accounts: Int
    /// Sessions that have not ended.
    let sessions: Int
    /// Rooms.
    let rooms: Int
    /// What all accounts have caused, as ``DiskUsage`` counts it.
    let bytes: Int
}
