import MildamIdentity
import MildamRelayAPI
import MildamSystem
import MildamTransport

/// Holds requests against ``RateRule``: a bucket for each address or account that was seen lately, of which no more are
/// kept than memory was set aside for.
final class RateLimiter: Sendable {
    /// Whose bucket it is.
    enum Subject: Hashable {
        case address(UInt64)
        /// The addresses of a network of which too many had buckets.
        case network(UInt64)
        case account(AccountID)

        /// Everyone who shares the address's neighbourhood shares its bucket.
        init(_ address: SocketAddress) {
            self = .address(address.neighbour)
        }

        /// The network of an address.
        fileprivate var network: Subject? {
            if case .address(let neighbour) = self { .network(SocketAddress.network(of: neighbour)) } else { nil }
        }
    }

    /// The buckets of one rule.
    fileprivate struct Table {
        var buckets: [Subject: TokenBucket] = [:]
        /// When it was last looked through for buckets that are full again.
        var swept: UInt64 = 0
    }

    /// How many buckets a rule keeps: with each at some 40 bytes, 12 MiB for all rules together.
    static let maximumBuckets = 16_384
    /// How many buckets of one network are borne where all are in use: more than an IPv4 network has addresses. Those of a
    /// network with more become one, so that whoever has a network of IPv6 does not keep all buckets in use.
    static let bucketsOfNetwork = 512
    /// The shortest time between two sweeps of a table, in nanoseconds.
    private static let sweepInterval: UInt64 = 1_000_000_000

    private let tables: Lock<[Table]>
    private let now: @Sendable () -> UInt64

    private let rates: [TokenBucket.Rate]

    /// - Parameters:
    ///   - messages: how many an account may send in a day; what the rule says, unless set.
    ///   - messageBytes: how much an account may send at once, and again in each day; what the rule says, unless set.
    ///   - now: nanoseconds of a clock that never goes back.
    init(
        messages: Int? = nil,
        messageBytes: Int? = nil,
        now: @escaping @Sendable () -> UInt64 = { Monotonic.now() }
    ) {
        tables = Lock([Table](repeating: Table(), count: RateRule.allCases.count))
        var rates = RateRule.allCases.map(\.rate)
        if let messages {
            rates[RateRule.message.rawValue] = TokenBucket.Rate(
                aDay: UInt64(clamping: messages),
                atOnce: RateRule.message.rate.burst
            )
        }
        if let messageBytes {
            rates[RateRule.messageBytes.rawValue] = TokenBucket.Rate(aDay: UInt64(clamping: messageBytes))
        }
        self.rates = rates
        self.now = now
    }

    /// Lets one through, or not.
    ///
    /// - Parameter cost: how many tokens it takes.
    /// - Throws: `rate_limited`, with the seconds to wait.
    func admit(_ rule: RateRule, _ subject: Subject, cost: Int = 1) throws(APIError) {
        let now = now()
        let (rate, cost) = (rates[rule.rawValue], UInt64(clamping: cost))
        let wait = tables.withLock { $0[rule.rawValue].wait(for: subject, rule, rate, cost, at: now) }
        guard let wait else { return }
        let seconds = max(1, (wait + 999_999_999) / 1_000_000_000)
        throw APIError(.rateLimited, "too many of this at once; try again in \(seconds) s", number: seconds)
    }
}

extension RateLimiter.Table {
    /// - Returns: how long to wait, in nanoseconds; `nil` when it may go on.
    fileprivate mutating func wait(
        for subject: RateLimiter.Subject,
        _ rule: RateRule,
        _ rate: TokenBucket.Rate,
        _ cost: UInt64,
        at now: UInt64
    ) -> UInt64? {
        if buckets[subject] == nil, buckets.count >= RateLimiter.maximumBuckets { sweep(at: now) }
        let holder = holder(of: subject, at: now)
        guard buckets[holder] != nil || buckets.count < RateLimiter.maximumBuckets else {
            return rule.failure == .open ? nil : rate.interval
        }
        return buckets[holder, default: TokenBucket()].take(cost, from: rate, at: now)
    }

    /// Whose bucket a subject takes from: its own, or its network's until that is full again.
    private func holder(of subject: RateLimiter.Subject, at now: UInt64) -> RateLimiter.Subject {
        guard buckets[subject] == nil, let network = subject.network, let shared = buckets[network],
            !shared.isFull(at: now)
        else { return subject }
        return network
    }

    private mutating func sweep(at now: UInt64) {
        guard now >= swept + RateLimiter.sweepInterval else { return }
        swept = now
        buckets = buckets.filter { !$0.value.isFull(at: now) }
        if buckets.count >= RateLimiter.maximumBuckets { mergeNetworks() }
    }

    /// Networks with too many buckets have one, as empty as the emptiest of them.
    private mutating func mergeNetworks() {
        let networks = Dictionary(grouping: buckets.keys) { $0.network }
        for case (let network?, let addresses) in networks where addresses.count > RateLimiter.bucketsOfNetwork {
            var shared = buckets[network] ?? TokenBucket()
            for address in addresses {
                if let bucket = buckets.removeValue(forKey: address) { shared.merge(bucket) }
            }
            buckets[network] = shared
        }
    }
}
