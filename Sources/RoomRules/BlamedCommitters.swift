import MildamIdentity

/// Accounts whose commits others could not read, in one room: one that two others name, or all others who are online, commits
/// once an hour, SelfRemoves apart, until nobody has named it for a day (H9).
public struct BlamedCommitters: Sendable {
    /// How many others are enough.
    public static let enough = 2
    /// How many seconds pass between two commits of such an account.
    public static let pause: UInt64 = 3600
    /// For how many seconds a name counts: a day.
    public static let memory: UInt64 = 86_400

    private struct Record {
        /// Who named the account, and when last.
        var namedBy: [AccountID: UInt64] = [:]
        var isHeld = false
        var committed: UInt64?
    }

    private var records: [AccountID: Record] = [:]

    /// Nobody is named.
    public init() {}

    /// An account came back from outside, and names the commit of another one as that which it could not read.
    ///
    /// - Parameters:
    ///   - online: the room's accounts that are online.
    ///   - now: seconds of a clock that does not go back.
    public mutating func name(_ account: AccountID, by other: AccountID, online: Set<AccountID>, at now: UInt64) {
        guard account != other else { return }
        var record = records[account] ?? Record()
        record.namedBy = record.namedBy.filter { $0.value + BlamedCommitters.memory > now }
        record.namedBy[other] = now
        let others = online.subtracting([account])
        let isEverybody = !others.isEmpty && others.isSubset(of: record.namedBy.keys)
        if record.namedBy.count >= BlamedCommitters.enough || isEverybody { record.isHeld = true }
        records[account] = record
    }

    /// Takes a commit, or refuses it.
    ///
    /// - Parameter isOfSelfRemoves: whether it has nothing but SelfRemoves of others; such a one is always taken.
    /// - Throws: `blamedAccountCommitsHourly`.
    public mutating func take(from account: AccountID, isOfSelfRemoves: Bool, at now: UInt64) throws(RoomRefusal) {
        guard !isOfSelfRemoves, var record = records[account], record.isHeld else { return }
        let isRested = record.committed.map { now >= $0 + BlamedCommitters.pause } ?? true
        try require(.blamedAccountCommitsHourly, isRested)
        record.committed = now
        records[account] = record
    }

    /// Forgets accounts that nobody has named for a day.
    public mutating func forget(at now: UInt64) {
        records = records.filter { entry in
            entry.value.namedBy.values.contains { $0 + BlamedCommitters.memory > now }
        }
    }
}
