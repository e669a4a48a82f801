import Synchronization

/// The right to answer one request, once. Dropped unanswered, it answers 500.
public final class HTTPReply: Sendable {
    private let isAnswered = Atomic<Bool>(false)
    private let loop: EventLoop
    private let connection: LoopBound<ServerConnection>

    init(_ connection: LoopBound<ServerConnection>, on loop: EventLoop) {
        self.loop = loop
        self.connection = connection
    }

    deinit {
        if !isAnswered.load(ordering: .acquiring) { deliver(HTTPResponse(status: 500)) }
    }

    /// Answers, from any thread. A response with an invalid status or field is answered 500 in its place.
    ///
    /// - Returns: `false` when the request has been answered before; then nothing happens. A client that has gone
    ///   counts as answered all the same.
    @discardableResult
    public func send(_ response: HTTPResponse) -> Bool {
        guard !isAnswered.exchange(true, ordering: .acquiringAndReleasing) else { return false }
        deliver(response)
        return true
    }

    private func deliver(_ response: HTTPResponse) {
        if loop.isCurrent {
            connection.value.answer(response)
        } else {
            loop.execute { [connection] in connection.value.answer(response) }
        }
    }
}
