import MildamIdentity
import MildamJOSE
import MildamSystem

/// The sessions that ended while access tokens of theirs may still live: what refuses those tokens at once.
///
/// It is kept in memory alone: a relay that is started anew believes a token of a session that ended before until it runs
/// out, at most 300 seconds later. No more sessions are kept than memory was set aside for; when more end, every token
/// from before the older ones ended is refused, be its session over or not. Who refreshes has another.
final class EndedSessions: Sendable {
    /// How many sessions are kept: each at some 40 bytes.
    static let maximum = 65_536
    /// How much longer than its tokens a session is kept, in seconds: a token may be signed in the moment of the end.
    private static let slack: Int64 = 5

    private struct State {
        /// When each ended, in seconds since 1970.
        var ended: [SessionID: Int64] = [:]
        /// Tokens that were issued up to this moment are refused, whosever they are.
        var watermark = Int64.min
    }

    private let state = Lock(State())
    private let clock: WallClock

    init(clock: WallClock) {
        self.clock = clock
    }

    /// A session is over.
    func insert(_ session: SessionID) {
        let now = clock.seconds
        state.withLock { state in
            if state.ended.count >= Self.maximum { Self.makeRoom(in: &state, at: now) }
            state.ended[session] = now
        }
    }

    /// Whether the session of this token is over, or may be.
    func refuses(_ sender: Sender) -> Bool {
        state.withLock { state in
            state.ended[sender.session] != nil || sender.expires - AccessToken.lifetime <= state.watermark
        }
    }

    private static func makeRoom(in state: inout State, at now: Int64) {
        // One whose end lies ahead ended before the clock was put back: its tokens live as much longer.
        state.ended = state.ended.filter { now - $0.value <= AccessToken.lifetime + slack }
        guard state.ended.count >= maximum else { return }
        let times = state.ended.values.sorted()
        let middle = times[times.count / 2]
        state.ended = state.ended.filter { $0.value > middle }
        state.watermark = max(state.watermark, middle + slack)
    }
}
