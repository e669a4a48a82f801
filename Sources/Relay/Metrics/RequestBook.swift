import MildamCrypto
import MildamRelayAPI
import MildamSystem
import MildamTransport
import MildamWire
import Synchronization

/// Gives each request an id, and counts and logs how it was answered.
final class RequestBook: Sendable {
    let metrics: RelayMetrics
    private let log: RelayLog
    private let logsAll: Bool
    private let start: String
    private let last = Atomic<UInt64>(0)

    /// - Parameter logsAll: whether every answer is logged, or those alone that are the relay's own fault.
    init(metrics: RelayMetrics, log: RelayLog, logsAll: Bool) {
        self.metrics = metrics
        self.log = log
        self.logsAll = logsAll
        start = Hex.encode(SecureRandom.bytes(count: 4))
    }

    /// The right to answer a request, which gets an id by it.
    ///
    /// - Parameter kind: `nil` for a path that is no route.
    func answer(_ reply: HTTPReply, to method: HTTPMethod, _ kind: Route.Kind?) -> Answer {
        let number = last.wrappingAdd(1, ordering: .relaxed).newValue
        return Answer(reply, to: method, kind, number: number, since: Monotonic.now(), in: self)
    }

    /// The id as it is shown: which start of the relay, and which request since.
    func id(_ number: UInt64) -> String { "\(start)-\(number)" }

    /// Writes down that a request was answered.
    func answered(_ answer: Answer, status: Int) {
        let taken = Monotonic.now() - answer.since
        metrics.answered(answer.kind, status: status)
        metrics.requestTime.record(nanoseconds: taken)
        guard logsAll || status >= 500 else { return }
        let fields: [RelayLog.Field] = [
            .text("request", id(answer.number)), .text("method", answer.method.rawValue),
            .text("route", answer.kind?.template ?? "other"), .number("status", status),
            .decimal("ms", Double(taken / 1000) / 1000),
        ]
        log.write(status >= 500 ? .error : .info, "request", fields)
    }
}

/// The right to answer one request, once, and what is written down of it.
struct Answer: Sendable {
    private let reply: HTTPReply
    private let book: RequestBook
    let method: HTTPMethod
    let kind: Route.Kind?
    let number: UInt64
    let since: UInt64

    fileprivate init(
        _ reply: HTTPReply,
        to method: HTTPMethod,
        _ kind: Route.Kind?,
        number: UInt64,
        since: UInt64,
        in book: RequestBook
    ) {
        self.reply = reply
        self.book = book
        self.method = method
        self.kind = kind
        self.number = number
        self.since = since
    }

    /// Answers. A refusal says the request's id, by which the log names it too.
    func send(_ response: HTTPResponse) {
        var response = response
        if response.status >= 400 { response.fields.append("X-Request-Id", book.id(number)) }
        book.answered(self, status: response.status)
        reply.send(response)
    }
}
