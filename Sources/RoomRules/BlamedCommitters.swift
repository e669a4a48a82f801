import MildamIdentity
import MildamWire

/// Accounts whose commits others could not read, in one room: one that two others name, or all others who are online, commits
/// once an hour, SelfRemoves apart, until nobody has named it for a day (H9).
public struct BlamedCommitters: Sendable {
    /// How many others are enough.
    public static let enough = 2
    /// How many seconds pass between two commits of such an account.
    public static let pause: UInt64 = 3600
    /// For how many seconds a name counts: a day.
    public static let memory: UInt64 = 86_400
    /// How many accounts are remembered: of more, the one that nobody has named for longest is forgotten.
    public static let maximumAccounts = 32

    private struct Record {
        /// Who named the account, and when last.
        var namedBy: [AccountID: UInt64] = [:]
        var isHeld = false
        var committed: UInt64?

        var lastNamed: UInt64 { namedBy.values.max() ?? 0 }
    }

    private var records: [AccountID: Record] = [:]

    /// Nobody is named.
    public init() {}

    /// Whether nobody is.
    public var isEmpty: Bool { records.isEmpty }

    /// When an account was named last, whichever it was; 0 for never.
    public private(set) var lastNamed: UInt64 = 0

    /// An account came back from outside, and names the commit of another one as that which it could not read.
    ///
    /// - Parameters:
    ///   - online: the room's accounts that are online.
    ///   - now: seconds of a clock that does not go back.
    public mutating func name(_ account: AccountID, by other: AccountID, online: Set<AccountID>, at now: UInt64) {
        guard account != other else { return }
        forget(at: now)
        if records[account] == nil, records.count >= BlamedCommitters.maximumAccounts,
            let oldest = records.min(by: { $0.value.lastNamed < $1.value.lastNamed })
        {
            records[oldest.key] = nil
        }
        lastNamed = now
        var record = records[account] ?? Record()
        record.namedBy = record.namedBy.filter { $0.value + BlamedCommitters.memory > now }
        record.namedBy[other] = now
        let others = online.subtracting([account])
        let isEverybody = !others.isEmpty && others.isSubset(of: record.namedBy.keys)
        if record.namedBy.count >= BlamedCommitters.enough || isEverybody { record.isHeld = true }
        // What more of them say changes nothing.
        if record.namedBy.count > BlamedCommitters.enough,
            let first = record.namedBy.min(by: { ($0.value, $0.key) < ($1.value, $1.key) })
        {
            record.namedBy[first.key] = nil
        }
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

extension RoomCommit {
    /// What its device could not read, where it comes back from outside because of a commit; `nil` for any other commit.
    public var commitNotProcessed: RepairReason? {
        committer == .newMember ? RepairReason(ofCommitIn: authenticatedData) : nil
    }

    /// Whether it has nothing but SelfRemoves of others.
    public var isOfSelfRemoves: Bool { !entries.isEmpty && selfRemoves.count == entries.count }
}

extension RepairReason {
    /// The commit that could not be processed, by what another one says openly; `nil` where that names none.
    public init?(ofCommitIn authenticatedData: [UInt8]) {
        guard let said = try? CommitReason(wireBytes: authenticatedData) else { return nil }
        for case .repair(let reason) in said.evidence where reason.cause == .commitNotProcessable {
            self = reason
            return
        }
        return nil
    }
}
