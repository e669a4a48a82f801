import CCurl
import MildamKeychain
import MildamSystem

/// Requests through libcurl: the system's certificates, the environment's proxies, HTTP/2 where the server has it.
///
/// Each request has a thread, a handle and a connection of its own, so that no task's thread waits for it, and nothing is
/// sent again behind the caller's back because a kept connection had ended. TLS 1.2 at least. Nothing is logged, kept or
/// read from files: no cookies, no `.netrc`. What libcurl copies of a request while it sends it lies in its own memory, and
/// is not wiped by it.
public struct CurlExchange: HTTPExchanging {
    /// What is put up with. Bytes and durations.
    public struct Limits: Sendable {
        /// Content of an answer: 1 MiB. What is announced to be more is refused before any of it is taken.
        public var bodyBytes = 1 << 20
        /// Status line and fields of an answer together.
        public var headBytes = 64 << 10
        /// To look a name up, to connect, and for TLS's handshake.
        public var connectTimeout = Duration.seconds(10)
        /// From the start of a request to the end of its answer.
        public var timeout = Duration.seconds(20)

        /// The defaults.
        public init() {}
    }

    private let limits: Limits
    private let authorities: String?

    /// Carries requests.
    ///
    /// - Parameter authorities: a file of certificates in PEM that are trusted in place of the system's.
    public init(limits: Limits = Limits(), authorities: String? = nil) {
        self.limits = limits
        self.authorities = authorities
    }

    /// Sends a request on a thread of its own.
    public func exchange(_ request: OutgoingRequest) async throws(ExchangeError) -> IncomingAnswer {
        let transfer = CurlTransfer(request, limits, authorities: authorities)
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { (done: CheckedContinuation<Result<IncomingAnswer, ExchangeError>, Never>) in
                let run: @Sendable () -> Void = { done.resume(returning: transfer.run()) }
                if !Thread.detach(named: "mildam-curl", run) { done.resume(returning: .failure(.unreachable)) }
            }
        } onCancel: {
            transfer.cancel()
        }
        return try result.get()
    }
}
