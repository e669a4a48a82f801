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
        /// Whether the relay has it.
        var isTold: Bool
    }

    private var entries: [AccountID: Entry] = [:]

    /// Something is to be said of an account, or taken back.
    mutating func say(_ standing: SenderStanding?, of account: AccountID) {
        guard entries[account] != nil || standing != nil else { return }
        var entry = entries[account] ?? Entry(id: .random(), standing: nil, isTold: true)
        guard entry.standing != standing else { return }
        (entry.standing, entry.isTold) = (standing, false)
        entries[account] = entry
    }

    /// What the relay does not have yet.
    var due: [(account: AccountID, entry: Entry)] {
        entries.filter { !$0.value.isTold }.map { ($0.key, $0.value) }.sorted { $0.0 < $1.0 }
    }

    /// The relay has an entry, or will not take it.
    mutating func settle(_ entry: Entry, of account: AccountID) {
        guard entries[account] == entry else { return }
        entries[account]?.isTold = true
        if entry.standing == nil { entries[account] = nil }
    }
}
