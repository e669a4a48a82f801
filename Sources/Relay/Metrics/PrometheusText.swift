/// Writes the Prometheus text exposition format, version 0.0.4.
struct PrometheusText {
    /// The kinds of metric that are written here.
    enum Kind: String {
        case counter, gauge, histogram
    }

    /// What it is served as.
    static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    /// What was written.
    private(set) var text = ""
    private var name = ""

    /// Begins a metric, of which samples follow.
    mutating func begin(_ name: String, _ kind: Kind, _ help: String) {
        self.name = name
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
    }

    /// A sample of the metric that was begun. Labels hold no quotes, backslashes or line ends.
    mutating func sample(
        labels: [(String, String)] = [],
        suffix: String = "",
        _ value: some CustomStringConvertible
    ) {
        let list = labels.map { "\($0.0)=\"\($0.1)\"" }.joined(separator: ",")
        text += name + suffix + (list.isEmpty ? "" : "{\(list)}") + " \(value)\n"
    }

    /// A counter without labels.
    mutating func counter(_ name: String, _ help: String, _ counter: Counter) {
        begin(name, .counter, help)
        sample(counter.value)
    }

    /// A value of the moment.
    mutating func gauge(_ name: String, _ help: String, _ value: some CustomStringConvertible) {
        begin(name, .gauge, help)
        sample(value)
    }

    /// A histogram, in seconds.
    mutating func histogram(_ name: String, _ help: String, _ histogram: Histogram) {
        begin(name, .histogram, help)
        let cumulative = histogram.cumulative
        for (bound, count) in zip(Histogram.bounds, cumulative) {
            sample(labels: [("le", "\(Double(bound) / 1e9)")], suffix: "_bucket", count)
        }
        let all = cumulative.last ?? 0
        sample(labels: [("le", "+Inf")], suffix: "_bucket", all)
        sample(suffix: "_sum", histogram.seconds)
        sample(suffix: "_count", all)
    }
}
