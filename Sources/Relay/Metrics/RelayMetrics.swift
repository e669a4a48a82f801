import MildamRelayAPI

/// What a relay counts of its own work. No number is of a single account, room or address.
final class RelayMetrics: Sendable {
    /// Answers by the first digit of their status.
    private static let statusClasses = 1...5

    /// How long requests took, from their last byte to the answer.
    let requestTime = Histogram()
    /// How long transactions took, with their sync.
    let commitTime = Histogram()
    /// Operations that were carried out in these transactions.
    let operations = Counter()
    /// Messages acknowledged.
    let messages = Counter()
    /// Bytes of blobs received.
    let blobBytes = Counter()
    /// Sockets told that they are behind.
    let behind = Counter()
    /// Rooms that are MLS groups.
    let groups = GroupMetrics()
    private let answers: [[Counter]]
    private let limited: [Counter]

    init() {
        answers = (0...RouteTable.places.count).map { _ in Self.statusClasses.map { _ in Counter() } }
        limited = RateRule.allCases.map { _ in Counter() }
    }

    /// Counts an answer; `nil` is for a path that is no route.
    func answered(_ place: RoutePlace?, status: Int) {
        answers[place?.index ?? RouteTable.places.count][min(max(status / 100, 1), 5) - 1].add()
    }

    /// Counts a request that was held back.
    func limited(by rule: RateRule) { limited[rule.rawValue].add() }

    /// Writes down what was counted.
    func write(to text: inout PrometheusText) {
        text.begin("mildam_requests_total", .counter, "Answers, by route and by the class of their status.")
        for (row, name) in (RouteTable.places.map(\.path.text) + ["other"]).enumerated() {
            for status in Self.statusClasses where answers[row][status - 1].value > 0 {
                text.sample(labels: [("route", name), ("status", "\(status)xx")], answers[row][status - 1].value)
            }
        }
        text.histogram("mildam_request_seconds", "From a request's last byte to its answer.", requestTime)
        text.histogram("mildam_commit_seconds", "Transactions of the store, with their sync.", commitTime)
        text.counter(
            "mildam_operations_total",
            "Operations in these transactions, refused ones among them.",
            operations
        )
        text.counter("mildam_messages_total", "Messages acknowledged, retries among them.", messages)
        text.counter("mildam_blob_bytes_total", "Bytes of blobs received.", blobBytes)
        text.counter("mildam_behind_total", "Sockets told to fetch what they could not read in time.", behind)
        groups.write(to: &text)
        text.begin("mildam_rate_limited_total", .counter, "Requests held back, by rule.")
        for rule in RateRule.allCases {
            text.sample(labels: [("rule", rule.name)], limited[rule.rawValue].value)
        }
    }
}
