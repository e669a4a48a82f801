import MildamRelayAPI
import MildamRoomRules

/// What a relay counts of rooms that are MLS groups.
final class GroupMetrics: Sendable {
    /// What comes too late, or too often, and is to be made anew.
    private static let lateCodes: [APIErrorCode] = [.staleEpoch, .proposalsDue, .commitRate]

    /// How long it took to look at what was sent.
    let time = Histogram()
    /// Commits that were taken.
    let commits = Counter()
    /// Messages that were given back after the relay was put back.
    let givenBack = Counter()
    /// What was refused, by the rule of rooms that it breaks.
    private let byRule: [String: Counter]
    /// What was refused for any other reason.
    private let byMLS = Counter()
    private let late: [APIErrorCode: Counter]

    init() {
        byRule = Dictionary(RoomRule.allCases.map { ($0.rawValue, Counter()) }) { first, _ in first }
        late = Dictionary(Self.lateCodes.map { ($0, Counter()) }) { first, _ in first }
    }

    /// Counts a refusal.
    func refused(by rule: String?) {
        (rule.flatMap { byRule[$0] } ?? byMLS).add()
    }

    /// Counts something that came too late, where that is what the code says.
    func refused(with code: APIErrorCode) { late[code]?.add() }

    /// Writes down what was counted.
    func write(to text: inout PrometheusText) {
        text.counter("mildam_group_commits_total", "Commits taken.", commits)
        text.counter("mildam_group_given_back_total", "Messages given back after the relay was put back.", givenBack)
        text.begin(
            "mildam_group_refusals_total",
            .counter,
            "Groups, proposals and commits refused, by the rule they break."
        )
        for rule in RoomRule.allCases {
            guard let count = byRule[rule.rawValue]?.value, count > 0 else { continue }
            text.sample(labels: [("rule", rule.rawValue)], count)
        }
        text.sample(labels: [("rule", "mls")], byMLS.value)
        text.begin("mildam_group_late_total", .counter, "What came too late or too often for its group, by code.")
        for code in Self.lateCodes { text.sample(labels: [("code", code.rawValue)], late[code]?.value ?? 0) }
        text.histogram("mildam_group_check_seconds", "Looking at a group, a proposal or a commit.", time)
    }
}
