import Synchronization

/// The right to answer one request, once. Dropped unanswered, it answers 500.
public final class HTTPReply: Sendable {
    private let isAnswered = Atomic<Bool>(false)
    private let loop: EventLoop
    private let connection: LoopBound<ServerConnection>
    /// Whether the client is still there: what nobody waits for need not be begun.
    public let client: ClientPresence

    init(_ connection: LoopBound<ServerConnection>, of client: ClientPresence, on loop: EventLoop) {
        self.loop = loop
        self.connection = connection
        self.client = client
    }

    deinit {
        if !isAnswered.load(ordering: .acquiring) { deliver(HTTPResponse(status: 500)) }
    }

    /// Answers, from any thread. A response with an invalid status or field is answered 500 in its place.
    ///
    /// - Parameter pause: how long to hold it back. Whoever is told to come later is slowed down by this, too, if they
    ///   do not listen: their connection's next request waits for it.
    /// - Returns: `false` when the request has been answered before; then nothing happens. A client that has gone
    ///   counts as answered all the same.
    @discardableResult
    public func send(_ response: HTTPResponse, heldBackFor pause: Duration = .zero) -> Bool {
        guard !isAnswered.exchange(true, ordering: .acquiringAndReleasing) else { return false }
        deliver(response, pause)
        return true
    }

    private func deliver(_ response: HTTPResponse, _ pause: Duration = .zero) {
        if loop.isCurrent {
            connection.value.answer(response, heldBackFor: pause)
        } else {
            loop.execute { [connection] in connection.value.answer(response, heldBackFor: pause) }
        }
    }
}
