import FoundationEssentials
import MildamIdentity
import MildamJOSE
import MildamRelayAPI
import MildamSystem

/// Makes access tokens and believes them, without a look at the store: a session that is over is noticed when its last
/// token runs out, at most 300 seconds later.
final class AccessTokens: Sendable {
    private static let maximumRemembered = 8192

    private let relay: RelayID
    private let keys: TokenKeys
    private let clock: WallClock
    /// Tokens whose signature was verified, by their whole text: a connection that stays open pays for one
    /// verification, not for one a request.
    private let verified = Lock<[String: Sender]>([:])

    init(relay: RelayID, keys: TokenKeys, clock: WallClock) {
        self.relay = relay
        self.keys = keys
        self.clock = clock
    }

    /// A session's tokens, the refresh token among them.
    func issue(
        for address: MailboxAddress,
        session: SessionID,
        refresh: [UInt8]
    ) -> Result<SessionTokens, APIError> {
        let token = AccessToken(
            relay: relay.description,
            account: address.account.description,
            device: address.device.description,
            session: session.description,
            at: clock.seconds
        )
        guard let access = try? token.signed(keyID: keys.newest.id, by: keys.newest.key) else {
            return .failure(APIError(.internalError, "the relay could not sign a token"))
        }
        return .success(
            SessionTokens(
                session: session,
                access: access,
                lifetime: AccessToken.lifetime,
                refresh: Data(refresh)
            )
        )
    }

    /// Who presents this `Authorization` field.
    ///
    /// - Throws: `unauthorized`, whatever is wrong.
    func sender(authorization field: String?) throws(APIError) -> Sender {
        guard let field, let token = Self.bearer(field) else {
            throw APIError(.unauthorized, "an access token is needed")
        }
        let now = clock.seconds
        if let known = verified.withLock({ $0[token] }) {
            guard now < known.expires else { throw Self.refused }
            return known
        }
        guard
            let claims = try? AccessToken(
                verifying: token,
                relay: relay.description,
                at: now,
                key: { keys.publicKey($0, at: now) }
            ),
            let account = try? AccountID(claims.sub), let device = try? DeviceID(claims.device),
            let session = try? SessionID(claims.sid)
        else { throw Self.refused }
        let sender = Sender(account: account, device: device, session: session, expires: claims.exp)
        verified.withLock { verified in
            if verified.count >= Self.maximumRemembered {
                verified = verified.filter { now < $0.value.expires }
                if verified.count >= Self.maximumRemembered { verified.removeAll(keepingCapacity: true) }
            }
            verified[token] = sender
        }
        return sender
    }

    private static let refused = APIError(.unauthorized, "the access token is wrong or has run out; refresh it")

    /// The token of `Bearer TOKEN` (RFC 6750, section 2.1); the scheme's case does not matter.
    private static func bearer(_ field: String) -> String? {
        let scheme = "bearer "
        guard field.utf8.count > scheme.utf8.count, field.prefix(scheme.count).lowercased() == scheme else {
            return nil
        }
        return String(field.dropFirst(scheme.count))
    }
}
