import MildamIdentity

/// How many commits of an account a room takes: 20 in any minute, removals apart (H12).
public struct CommitRate: Sendable {
    /// So many commits.
    public static let maximum = 20
    /// In so many seconds.
    public static let window: UInt64 = 60

    private var taken: [AccountID: [UInt64]] = [:]

    /// Nobody has committed.
    public init() {}

    /// Takes a commit, or refuses it.
    ///
    /// - Parameters:
    ///   - isRemoval: whether it takes out leaves and brings nothing in; such a one is always taken.
    ///   - now: seconds of a clock that does not go back.
    /// - Throws: `commitRateIsKept`.
    public mutating func take(from account: AccountID, isRemoval: Bool, at now: UInt64) throws(RoomRefusal) {
        guard !isRemoval else { return }
        let recent = (taken[account] ?? []).filter { $0 + CommitRate.window > now }
        try require(.commitRateIsKept, recent.count < CommitRate.maximum)
        taken[account] = recent + [now]
    }

    /// Forgets those who have not committed for a minute.
    public mutating func forget(at now: UInt64) {
        taken = taken.filter { entry in entry.value.contains { $0 + CommitRate.window > now } }
    }
}
