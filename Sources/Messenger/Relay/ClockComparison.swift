import MildamSystem
import MildamTransport

/// This machine's clock beside the relay's, which each answer names (`Date`; RFC 9110, section 6.6.1).
final class ClockComparison: Sendable {
    /// How many seconds the two may differ before the person is told.
    static let tolerance: Int64 = 60

    private struct State {
        var last: ClockSkew?
        var isTold = false
    }

    private let state = Lock(State())
    private let onSkew: @Sendable (ClockSkew) -> Void

    /// - Parameter onSkew: told once, when the clocks differ by more than ``tolerance``.
    init(onSkew: @escaping @Sendable (ClockSkew) -> Void = { _ in }) {
        self.onSkew = onSkew
    }

    /// The difference at the last answer that named a time; `nil` before the first.
    var skew: ClockSkew? { state.withLock { $0.last } }

    /// Takes what an answer says.
    ///
    /// - Parameters:
    ///   - date: its Date field.
    ///   - asked: when it was asked for, by this machine's clock, in seconds since 1970: an answer that took long was
    ///     written at any time since.
    ///   - now: this machine's clock, in seconds since 1970.
    func take(_ date: String?, asked: Int64, at now: Int64) {
        guard let relay = date.flatMap(HTTPDate.seconds) else { return }
        let skew = ClockSkew(seconds: relay < asked ? asked - relay : relay > now ? now - relay : 0)
        state.withLock { $0.last = skew }
    }

    /// Tells of a difference that matters. Due once the relay has taken a proof of who asks: one that it does not take says
    /// the same as its error.
    func tell() {
        let news = state.withLock { state -> ClockSkew? in
            guard !state.isTold, let last = state.last, last.seconds.magnitude > UInt64(Self.tolerance) else {
                return nil
            }
            state.isTold = true
            return last
        }
        if let news { onSkew(news) }
    }
}
