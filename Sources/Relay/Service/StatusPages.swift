import MildamRelayAPI
import MildamTransport

/// What those who run the relay ask it: whether it lives, whether it can serve, and what it counted.
final class StatusPages: Sendable {
    private let commits: CommitQueue
    private let disk: DiskWatch
    private let reads: ReadQueue
    private let checks: CheckQueue
    private let metrics: RelayMetrics
    private let figures: StoreFigures
    private let sockets: @Sendable () -> Int
    private let started: Int64
    private let live = HTTPResponse(status: 200, fields: plain, body: Array("live\n".utf8))

    /// - Parameter sockets: counts the open sockets, on the loop.
    init(_ parts: RelayParts, sockets: @escaping @Sendable () -> Int) {
        commits = parts.commits
        disk = parts.disk
        reads = parts.reads
        checks = parts.checks
        metrics = parts.metrics
        figures = parts.figures
        self.sockets = sockets
        started = parts.clock.seconds
    }

    /// Answers, where it is one of these pages that is asked for.
    ///
    /// - Returns: whether it is.
    func answer(_ request: HTTPRequest, _ reply: HTTPReply) -> Bool {
        switch request.target.path {
        case "/live": reply.send(only(request, live))
        case "/ready":
            disk.look { [self] in reply.send(only(request, readiness)) }
        case "/metrics":
            guard let page = metricsPage(request) else { return false }
            reply.send(page)
        default: return false
        }
        return true
    }

    /// A disk that failed is no longer believed; to one that is full, something can be stored again once it is not.
    private var readiness: HTTPResponse {
        guard commits.canStore else { return Self.failed }
        return disk.isFull ? Self.full : Self.ready
    }

    /// What was counted is for this machine alone: to anybody else, and to whomever a proxy speaks for, there is no
    /// such page.
    private func metricsPage(_ request: HTTPRequest) -> HTTPResponse? {
        guard request.peer.isLoopback, request.fields.values(of: "X-Forwarded-For").isEmpty,
            request.fields.values(of: "Forwarded").isEmpty
        else { return nil }
        return only(
            request,
            HTTPResponse(status: 200, fields: ["Content-Type": PrometheusText.contentType], body: page)
        )
    }

    private func only(_ request: HTTPRequest, _ response: HTTPResponse) -> HTTPResponse {
        guard request.method == .get || request.method == .head else {
            var refusal = HTTPResponse.error(APIError(.methodNotAllowed, "this page is only read"))
            refusal.fields.append("Allow", "GET, HEAD")
            return refusal
        }
        return response
    }

    private var page: [UInt8] {
        var text = PrometheusText()
        text.begin("mildam_build_info", .gauge, "Which version this is.")
        text.sample(labels: [("version", RelayServer.version)], 1)
        metrics.write(to: &text)
        text.gauge("mildam_sockets", "Open sockets.", sockets())
        text.gauge("mildam_waiting_operations", "Operations that wait to be stored.", commits.backlog)
        text.gauge("mildam_waiting_reads", "Reads that wait.", reads.backlog)
        text.gauge("mildam_waiting_checks", "Signatures that wait to be looked at.", checks.backlog)
        figures.write(to: &text)
        text.gauge("process_start_time_seconds", "Start time of the process since unix epoch in seconds.", started)
        ProcessFigures().write(to: &text)
        return Array(text.text.utf8)
    }

    private static let plain: HTTPFields = ["Content-Type": "text/plain; charset=utf-8", "Cache-Control": "no-store"]
    private static let ready = HTTPResponse(status: 200, fields: plain, body: Array("ready\n".utf8))
    private static let failed = notReady("the disk failed, and the relay must be restarted")
    private static let full = notReady("the disk is full; make room, and it goes on without a restart")

    private static func notReady(_ reason: String) -> HTTPResponse {
        HTTPResponse(status: 503, fields: plain, body: Array("not ready: \(reason)\n".utf8))
    }
}
