import MildamSystem

/// The access token at hand and until when it is good: what most calls are answered from, without an actor.
///
/// Times are those of CLOCK_BOOTTIME, in milliseconds.
final class TokenSnapshot: Sendable {
    /// What is to be done about a wish for a token.
    enum Verdict {
        /// Use it.
        case good(AccessCredential)
        /// Use it, and have it refreshed meanwhile.
        case old(AccessCredential)
        /// Refresh first.
        case needed
    }

    private struct State {
        var credential: AccessCredential?
        /// From when on it is refreshed in the background; waited for; dead.
        var (refreshFrom, waitFrom, deadFrom): (Int64, Int64, Int64) = (0, 0, 0)
        /// The number of the token that a server has refused.
        var refused: UInt64?
        /// When the next refresh in the background may begin.
        var nextBackground: Int64 = 0
        var asked: TimeAnchor?
    }

    /// Between two refreshes in the background.
    private static let pause: Int64 = 5000

    private let state = Lock(State())

    /// What to do at `now`.
    func look(at now: Int64) -> Verdict {
        state.withLock { state in
            guard let credential = state.credential, state.refused != credential.number, now < state.waitFrom else {
                return .needed
            }
            guard now >= state.refreshFrom, now >= state.nextBackground else { return .good(credential) }
            state.nextBackground = now + TokenSnapshot.pause
            return .old(credential)
        }
    }

    /// The token, as long as it lives and no server has refused it; but not the one of this number.
    func living(at now: Int64, past number: UInt64? = nil) -> AccessCredential? {
        state.withLock { state in
            guard let credential = state.credential, state.refused != credential.number, credential.number != number,
                now < state.deadFrom
            else { return nil }
            return credential
        }
    }

    /// The token, when it needs no refresh yet, not even one in the background; but not the one of this number.
    func fresh(at now: Int64, past number: UInt64? = nil) -> AccessCredential? {
        state.withLock { state in
            guard let credential = state.credential, state.refused != credential.number, credential.number != number,
                now < state.refreshFrom
            else { return nil }
            return credential
        }
    }

    /// Notes that a server has refused the token of this number, also one that is not known here yet.
    func refuse(_ number: UInt64) {
        state.withLock { if $0.credential?.number ?? number == number { $0.refused = number } }
    }

    /// Whether there is no token.
    var isEmpty: Bool { state.withLock { $0.credential == nil } }

    /// The server's clock, in milliseconds since 1970, as well as it is known.
    func serverTime(_ clock: TokenClock) -> Int64 {
        state.withLock(\.asked)?.serverNow(clock) ?? clock.wall.milliseconds
    }

    /// Forgets the token.
    func clear() {
        state.withLock { state in
            state.credential = nil
            state.refused = nil
        }
    }

    /// Takes the token of a record in the place of any other.
    ///
    /// - Parameter leeway: how long before its end a token is no longer handed out, where it can be refreshed.
    func take(_ record: TokenRecord, leeway: Int64, _ clock: TokenClock) {
        guard let tokens = record.tokens else { return clear() }
        let credential = AccessCredential(token: tokens.accessToken, scheme: tokens.scheme, number: record.number)
        let times = TokenSnapshot.times(record, leeway, clock)
        state.withLock { state in
            if state.credential?.number != record.number { state.nextBackground = 0 }
            state.credential = credential
            state.asked = record.asked
            (state.refreshFrom, state.waitFrom, state.deadFrom) = times
        }
    }

    /// After three quarters of its life a token is old; for the last tenth of it, and no longer than the leeway, its
    /// successor is waited for.
    ///
    /// Of one that was asked for before the machine was started again, only the wall clock tells how long it lives, which
    /// may have been set since: it is refreshed first, and used only while that cannot be done.
    private static func times(_ record: TokenRecord, _ leeway: Int64, _ clock: TokenClock) -> (Int64, Int64, Int64) {
        guard let lifetime = record.lifetime.map({ $0 * 1000 }) else { return (.max, .max, .max) }
        let now = clock.sinceBoot()
        guard let elapsed = record.asked.elapsed(clock) else {
            let lived = record.asked.serverNow(clock) - record.asked.server
            return (now, now, lived < 0 ? now : now + max(lifetime - lived, 0))
        }
        let end = now - elapsed + lifetime
        return (now - elapsed + lifetime / 4 * 3, end - min(leeway, lifetime / 10), end)
    }
}
