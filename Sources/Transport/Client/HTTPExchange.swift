import MildamSystem

/// One request and the one who waits for its response. Lives on the client's loop.
final class HTTPExchange {
    let request: HTTPClientRequest
    let encoded: [UInt8]
    /// When it has to be over, in monotonic nanoseconds.
    let deadline: UInt64
    private var done: ((Result<HTTPResponse, TransportError>) -> Void)?
    /// What to do when the caller no longer waits.
    var onAbandon: (() -> Void)?
    var wasRetried = false

    init(
        _ request: HTTPClientRequest,
        encoded: [UInt8],
        deadline: UInt64,
        done: @escaping (Result<HTTPResponse, TransportError>) -> Void
    ) {
        self.request = request
        self.encoded = encoded
        self.deadline = deadline
        self.done = done
    }

    var isOver: Bool { done == nil }

    /// Tells the result, once.
    func finish(_ result: Result<HTTPResponse, TransportError>) {
        let call = done
        done = nil
        onAbandon = nil
        call?(result)
    }

    /// Tells an error from outside, and lets go of the connection.
    func abandon(_ error: TransportError) {
        guard !isOver else { return }
        let letGo = onAbandon
        finish(.failure(error))
        letGo?()
    }
}
