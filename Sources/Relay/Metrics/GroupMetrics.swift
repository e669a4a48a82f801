import MildamRoomRules

/// What a relay counts of rooms that are MLS groups.
final class GroupMetrics: Sendable {
    /// How long it took to look at what was sent.
    let time = Histogram()
    /// Commits that were taken.
    let commits = Counter()
    /// What was refused, by the rule of rooms that it breaks.
    private let byRule: [String: Counter]
    /// What was refused for any other reason.
    private let byMLS = Counter()

    init() {
        byRule = Dictionary(RoomRule.allCases.map { ($0.rawValue, Counter()) }) { first, _ in first }
    }

    /// Counts a refusal.
    func refused(by rule: String?) {
        (rule.flatMap { byRule[$0] } ?? byMLS).add()
    }

    /// Writes down what was counted.
    func write(to text: inout PrometheusText) {
        text.counter("mildam_group_commits_total", "Commits taken.", commits)
        text.begin("mildam_group_refusals_total", .counter, "Groups, proposals and commits refused, by the rule they break.")
        for rule in RoomRule.allCases {
            guard let count = byRule[rule.rawValue]?.value, count > 0 else { continue }
            text.sample(labels: [("rule", rule.rawValue)], count)
        }
        text.sample(labels: [("rule", "mls")], byMLS.value)
        text.histogram("mildam_group_check_seconds", "Looking at a group, a proposal or a commit.", time)
    }
}
