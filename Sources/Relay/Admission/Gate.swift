import MildamIdentity
import MildamRelayAPI
import MildamTransport

/// Where requests are let through or held back.
struct Gate: Sendable {
    /// `nil` lets everything through.
    private let limiter: RateLimiter?
    private let behindProxy: Bool
    private let metrics: RelayMetrics

    init(_ limiter: RateLimiter?, behindProxy: Bool, metrics: RelayMetrics) {
        self.limiter = limiter
        self.behindProxy = behindProxy
        self.metrics = metrics
    }

    /// Lets one through by whose it is.
    ///
    /// - Parameter cost: how many tokens it takes.
    /// - Throws: `rate_limited`.
    func admit(_ rule: RateRule, _ subject: RateLimiter.Subject, cost: Int = 1) throws(APIError) {
        guard let limiter else { return }
        do throws(APIError) {
            try limiter.admit(rule, subject, cost: cost)
        } catch {
            metrics.limited(by: rule)
            throw error
        }
    }

    /// Lets a look at a second factor through, where one is shown.
    ///
    /// - Throws: `rate_limited`.
    func admit(_ factor: PresentedFactor?, of account: AccountID) throws(APIError) {
        switch factor {
        case nil: break
        case .code: try admit(.code, .account(account))
        case .recovery: try admit(.recovery, .account(account))
        }
    }

    /// Whether a connection may begin. A proxy on this machine holds its own clients back.
    func admits(_ peer: SocketAddress) -> Bool {
        guard limiter != nil, !(behindProxy && peer.isLoopback) else { return true }
        return (try? admit(.connection, .init(peer))) != nil
    }

    /// Whether a handshake may begin.
    func admitsHandshake(_ peer: SocketAddress) -> Bool {
        guard limiter != nil, !(behindProxy && peer.isLoopback) else { return true }
        return (try? admit(.handshake, .init(peer))) != nil
    }

    /// Who pays for a request of somebody who has no account yet.
    func payer(of request: HTTPRequest) -> Payer {
        Payer(address(of: request))
    }

    /// Lets one through by the address it comes from.
    ///
    /// - Throws: `rate_limited`.
    func admit(_ rule: RateRule, _ request: HTTPRequest) throws(APIError) {
        guard limiter != nil else { return }
        try admit(rule, .init(address(of: request)))
    }

    /// From where a request comes.
    func address(of request: HTTPRequest) -> SocketAddress { ClientAddress.of(request, behindProxy: behindProxy) }
}
