import MildamRelayAPI
import MildamSystem
import MildamTransport
import Synchronization

/// Who may make an account at this relay, for as long as it runs.
///
/// A relay that was told nothing is open where nobody but this machine reaches it. A proxy in front of it, which it may not
/// have been told of, gives itself away by the field that it adds.
final class RegistrationGate: Sendable {
    private let state: Lock<RegistrationMode>
    /// Whether a proxy is looked for.
    private let watches: Atomic<Bool>
    private let log: RelayLog

    /// - Parameters:
    ///   - told: what whoever runs the relay said; `nil` for nothing.
    ///   - isLocal: whether the relay listens on loopback, and was told of no proxy, and of no address elsewhere.
    init(told: RegistrationMode?, isLocal: Bool, log: RelayLog) {
        state = Lock(told ?? (isLocal ? .open : .invite))
        watches = Atomic(told == nil && isLocal)
        self.log = log
    }

    /// Who may.
    var mode: RegistrationMode { state.withLock { $0 } }

    /// Looks for a proxy.
    func see(_ request: HTTPRequest) {
        guard watches.load(ordering: .relaxed),
            Self.signs.contains(where: { !request.fields.values(of: $0).isEmpty }),
            watches.exchange(false, ordering: .acquiringAndReleasing)
        else { return }
        state.withLock { $0 = .invite }
        log.error(
            "registration_by_invitation",
            "a proxy passes requests on to this relay: accounts are made by invitation from here on; "
                + "see --registration, --behind-proxy and `mildam-relay invite`"
        )
    }

    /// The fields that proxies add (RFC 7239; RFC 9110, section 7.6.3).
    private static let signs = ["X-Forwarded-For", "Forwarded", "Via"]

    /// The digest of the invitation that a registration has to use up; `nil` where none is needed.
    ///
    /// - Throws: `registration_closed`, or `invitation_required` where it has none, or none that could be one.
    func invitation(of request: RegisterRequest) throws(APIError) -> [UInt8]? {
        switch mode {
        case .open: return nil
        case .closed: throw APIError(.registrationClosed, "this relay takes no new accounts")
        case .invite:
            guard let text = request.invitation else {
                throw APIError(.invitationRequired, "this relay takes new accounts by invitation; ask whoever runs it")
            }
            guard let code = InvitationCode(typed: text) else { throw .invitationNotOpen }
            return code.digest
        }
    }
}

extension APIError {
    /// The same for one that never was, that was used, and that ran out.
    static let invitationNotOpen = APIError(
        .invitationRequired,
        "the invitation is none, was used, or has run out; ask whoever runs the relay for another"
    )
}
