import FoundationEssentials
import MildamCrypto
import MildamIdentity
import MildamWire

/// The refresh tokens of one session, each derived from the one before; only digests are kept.
///
/// `token(n+1) = HMAC-SHA-256(relay refresh key, label ‖ session ‖ n ‖ token(n))`. The token before the newest keeps
/// yielding the newest, so that a lost answer logs nobody out, until the newest itself is presented. Any other token
/// ends the family.
struct RefreshFamily: Equatable, Sendable {
    /// How many seconds a session lives that is not refreshed: 90 days.
    static let idleLifetime: Int64 = 90 * 86_400

    /// The session.
    let session: SessionID
    /// Which token is the newest; the first is 0.
    var step: UInt64
    /// Which of the relay's refresh keys derived the newest token.
    var key: UInt32
    /// SHA-256 of the newest token.
    var digest: [UInt8]
    /// SHA-256 of the token before it, while that one still yields the newest.
    var previous: [UInt8]?
    /// When the family last moved on, in seconds since 1970.
    var used: Int64

    /// A new family, whose first token is random.
    init(session: SessionID, first token: [UInt8], at now: Int64) {
        self.init(session: session, step: 0, key: 0, digest: Self.digest(of: token), previous: nil, used: now)
    }

    /// A family that was stored.
    init(session: SessionID, step: UInt64, key: UInt32, digest: [UInt8], previous: [UInt8]?, used: Int64) {
        self.session = session
        self.step = step
        self.key = key
        self.digest = digest
        self.previous = previous
        self.used = used
    }

    /// What becomes of the family when a token is presented.
    enum Outcome: Equatable, Sendable {
        /// The successor, and the family as it is to be stored before the answer leaves.
        case advanced(RefreshFamily, token: [UInt8])
        /// The successor once more; nothing changes.
        case repeated(token: [UInt8])
        /// The family is over.
        case ended
    }

    /// Presents a token.
    ///
    /// - Parameters:
    ///   - keys: the relay's refresh keys.
    ///   - now: seconds since 1970.
    func present(_ token: [UInt8], keys: RefreshKeys, at now: Int64) -> Outcome {
        guard now - used <= Self.idleLifetime else { return .ended }
        let presented = Self.digest(of: token)
        if constantTimeEquals(presented, digest) {
            let newest = keys.newest
            let successor = Self.successor(of: token, at: step, in: session, under: newest.key)
            let family = RefreshFamily(
                session: session,
                step: step + 1,
                key: newest.id,
                digest: Self.digest(of: successor),
                previous: digest,
                used: now
            )
            return .advanced(family, token: successor)
        }
        if let previous, constantTimeEquals(presented, previous), step > 0, let key = keys[key] {
            return .repeated(token: Self.successor(of: token, at: step - 1, in: session, under: key))
        }
        return .ended
    }

    /// Whether a token is the newest, or the one before it while that one still yields the newest.
    func knows(_ token: [UInt8]) -> Bool {
        let presented = Self.digest(of: token)
        let isPrevious = previous.map { constantTimeEquals(presented, $0) } ?? false
        return constantTimeEquals(presented, digest) || isPrevious
    }

    /// SHA-256 of a token.
    static func digest(of token: [UInt8]) -> [UInt8] { Array(SHA256.hash(data: token)) }

    private static let label = Label("refresh")

    private static func successor(
        of token: [UInt8],
        at step: UInt64,
        in session: SessionID,
        under key: SymmetricKey
    ) -> [UInt8] {
        var writer = WireWriter()
        label.encode(into: &writer)
        session.encode(into: &writer)
        writer.integer(step)
        writer.vector(UInt8.self, token.prefix(255))
        return Array(HMAC<SHA256>.authenticationCode(for: writer.bytes, using: key))
    }
}
