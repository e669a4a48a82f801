import MildamIdentity
import MildamRelayAPI

/// What the relay is told of other accounts: who is known, and who is blocked. It is told as soon as it can be reached.
struct ToldStandings: Codable, Sendable {
    /// What there is to tell of one account.
    struct Entry: Codable, Sendable, Equatable {
        /// Under what the relay keeps it, drawn here.
        var id: StandingID
        /// What is said; `nil` takes back what was.
        var standing: SenderStanding?
        /// Whether the relay has it, or would not take it.
        var isTold: Bool
        /// Whether the relay would not take it. Missing in records from before that was noted.
        var isRefused: Bool?
    }

    private var entries: [AccountID: Entry] = [:]

    /// Something is to be said of an account, or taken back.
    mutating func say(_ standing: SenderStanding?, of account: AccountID) {
        guard entries[account] != nil || standing != nil else { return }
        var entry = entries[account] ?? Entry(id: .random(), standing: nil, isTold: true)
        guard entry.standing != standing else { return }
        (entry.standing, entry.isTold, entry.isRefused) = (standing, false, nil)
        entries[account] = entry
    }

    /// What the relay does not have yet.
    var due: [(account: AccountID, entry: Entry)] {
        entries.filter { !$0.value.isTold }.map { ($0.key, $0.value) }.sorted { $0.0 < $1.0 }
    }

    /// What the relay would not take.
    var refused: [SenderStanding] { entries.values.filter { $0.isRefused == true }.compactMap(\.standing) }

    /// The relay has an entry. Where something was taken back there is room again for what it would not take before.
    mutating func settle(_ entry: Entry, of account: AccountID) {
        guard entries[account] == entry else { return }
        entries[account]?.isTold = true
        entries[account]?.isRefused = nil
        guard entry.standing == nil else { return }
        entries[account] = nil
        for (account, entry) in entries where entry.isRefused == true { entries[account]?.isTold = false }
    }

    /// The relay would not take an entry, and is not asked again before something is taken back.
    ///
    /// - Returns: whether that is new.
    mutating func refuse(_ entry: Entry, of account: AccountID) -> Bool {
        guard entries[account] == entry else { return false }
        entries[account]?.isTold = true
        entries[account]?.isRefused = true
        return entry.isRefused != true
    }
}
