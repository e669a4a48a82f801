import MildamCrypto
import MildamRelayAPI
import MildamSystem
import MildamTransport
import MildamWire

/// Counts and logs how requests were answered.
final class RequestBook: Sendable {
    /// What an answer is called in the log.
    static let event = "request"

    let metrics: RelayMetrics
    private let log: RelayLog
    private let logsAll: Bool

    /// - Parameter logsAll: whether every answer is logged, or those alone that are the relay's own fault.
    init(metrics: RelayMetrics, log: RelayLog, logsAll: Bool) {
        self.metrics = metrics
        self.log = log
        self.logsAll = logsAll
    }

    /// The right to answer a request.
    ///
    /// - Parameter place: `nil` for a path that is no route.
    func answer(_ reply: HTTPReply, to method: HTTPMethod, _ place: RoutePlace?) -> Answer {
        Answer(reply, to: method, place, since: Monotonic.now(), in: self)
    }

    /// Writes down that a request was answered.
    ///
    /// - Returns: the request's id, where it is shown or logged. It is drawn: a count would tell each stranger how much
    ///   others ask.
    func answered(_ answer: Answer, status: Int) -> String? {
        let taken = Monotonic.now() - answer.since
        metrics.answered(answer.place, status: status)
        metrics.requestTime.record(nanoseconds: taken)
        guard logsAll || status >= 400 else { return nil }
        let id = Hex.encode(SecureRandom.bytes(count: 8))
        // A quota, or a disk that is full, is met by clients again and again, and that there was too much to do is no fault of
        // the relay's; the disk is told of by whoever met its end.
        let isFault = status >= 500 && ![503, 507].contains(status)
        guard logsAll || isFault else { return id }
        let fields: [RelayLog.Field] = [
            .text("request", id), .text("method", answer.method.rawValue),
            .text("route", answer.place?.path.text ?? "other"), .number("status", status),
            .decimal("ms", Double(taken / 1000) / 1000),
        ]
        log.write(isFault ? .error : .info, Self.event, fields)
        return id
    }
}

/// The right to answer one request, once, and what is written down of it.
struct Answer: Sendable {
    private let reply: HTTPReply
    private let book: RequestBook
    let method: HTTPMethod
    let place: RoutePlace?
    let since: UInt64

    /// Whether whoever asked is still there.
    var client: ClientPresence { reply.client }

    fileprivate init(
        _ reply: HTTPReply,
        to method: HTTPMethod,
        _ place: RoutePlace?,
        since: UInt64,
        in book: RequestBook
    ) {
        self.reply = reply
        self.book = book
        self.method = method
        self.place = place
        self.since = since
    }

    /// Answers. A refusal says the request's id, by which the log names it too.
    func send(_ response: HTTPResponse) {
        var response = response
        let id = book.answered(self, status: response.status)
        if response.status >= 400, let id { response.fields.append("X-Request-Id", id) }
        reply.send(response, heldBackFor: client.state == .present ? response.pause : .zero)
    }
}
