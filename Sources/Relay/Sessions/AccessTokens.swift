import FoundationEssentials
import MildamCrypto
import MildamIdentity
import MildamJOSE
import MildamRelayAPI
import MildamSystem

/// Makes access tokens and believes them, without a look at the store. That a session is over is known from ``ended``; a
/// relay that was started anew since notices it when the session's last token runs out, at most 300 seconds later.
final class AccessTokens: Sendable {
    private static let maximumRemembered = 8192

    private let relay: RelayID
    private let keys: TokenKeys
    private let lifetime: Int64
    private let clock: WallClock
    /// The sessions that ended while tokens of theirs may still live.
    let ended: EndedSessions
    /// A token whose signature was verified, whose it is, and what it is bound to.
    private struct Known {
        let token: [UInt8]
        let sender: Sender
        let thumbprint: String?
        /// The key that it is bound to, once it was seen.
        var key: JSONWebKey?
    }

    /// Verified tokens, by the end of their signature: a connection that stays open pays for one verification, not
    /// for one a request. The relay's own signatures are as good as drawn: two that end alike are verified in turn.
    private let verified = Lock<[UInt64: Known]>([:])

    /// - Parameter lifetime: of the tokens that are made, in seconds.
    init(relay: RelayID, keys: TokenKeys, lifetime: Int64 = AccessToken.lifetime, clock: WallClock) {
        self.relay = relay
        self.keys = keys
        self.lifetime = lifetime
        self.clock = clock
        ended = EndedSessions(clock: clock)
    }

    /// A session's tokens, the refresh token among them.
    func issue(
        for address: MailboxAddress,
        session: SessionID,
        refresh: [UInt8],
        boundTo thumbprint: String?
    ) -> Result<TokenAnswer, APIError> {
        let token = AccessToken(
            relay: relay.description,
            account: address.account.description,
            device: address.device.description,
            session: session.description,
            boundTo: thumbprint,
            lifetime: lifetime,
            at: clock.seconds
        )
        guard let access = try? token.signed(keyID: keys.newest.id, by: keys.newest.key) else {
            return .failure(APIError(.internalError, "the relay could not sign a token"))
        }
        return .success(
            TokenAnswer(
                accessToken: access,
                isBound: thumbprint != nil,
                expiresIn: lifetime,
                refreshToken: RefreshToken(session: session, secret: refresh)
            )
        )
    }

    /// Looks for a request's proof, for this token and perhaps of this key.
    typealias Proving = (_ token: String, _ known: JSONWebKey?) throws(APIError) -> DPoPProof?

    /// Who presents this `Authorization` field.
    ///
    /// - Throws: `unauthorized`, whatever is wrong with the token; `invalid_dpop_proof` and what `proving` throws, for a
    ///   token that is bound to a key.
    func sender(authorization field: Span<UInt8>?, _ proving: Proving) throws(APIError) -> Sender {
        let sender = try senderOfAnySession(authorization: field, proving)
        guard !ended.refuses(sender) else { throw Self.refused }
        return sender
    }

    /// Who presents this `Authorization` field, be the session over or not: for logging out, again.
    ///
    /// - Throws: as ``sender(authorization:_:)``.
    func senderOfAnySession(authorization field: Span<UInt8>?, _ proving: Proving) throws(APIError) -> Sender {
        guard let field else { throw Self.needed }
        if let token = Self.credential(field, of: "bearer ".utf8.span) {
            let known = try signer(of: token)
            guard known.thumbprint == nil else { throw Self.refused }
            return known.sender
        }
        guard let token = Self.credential(field, of: "dpop ".utf8.span) else { throw Self.needed }
        let known = try signer(of: token)
        guard let thumbprint = known.thumbprint else { throw Self.refused }
        try prove(known, boundTo: thumbprint, proving)
        return known.sender
    }

    /// Who presents this access token, without a word on whether it is bound.
    ///
    /// - Throws: as ``sender(authorization:_:)``.
    func sender(access token: Span<UInt8>, _ proving: Proving) throws(APIError) -> Sender {
        let known = try signer(of: token)
        if let thumbprint = known.thumbprint { try prove(known, boundTo: thumbprint, proving) }
        guard !ended.refuses(known.sender) else { throw Self.refused }
        return known.sender
    }

    private func prove(_ known: Known, boundTo thumbprint: String, _ proving: Proving) throws(APIError) {
        let proof = try proving(String(decoding: known.token, as: UTF8.self), known.key)
        guard let proof, proof.thumbprint == thumbprint else {
            throw APIError(.invalidProof, "the access token is bound to a key that the request does not prove")
        }
        if known.key == nil { verified.withLock { $0[Self.end(of: known.token.span)]?.key = proof.key } }
    }

    /// Whose access token this field has, before the request's body is there. A proof is taken once, and that is for
    /// ``sender(authorization:_:)``: until then whoever has the token alone is a sender.
    ///
    /// - Throws: `unauthorized`, whatever is wrong.
    func holder(authorization field: Span<UInt8>?) throws(APIError) -> Sender {
        guard let field else { throw Self.needed }
        if let token = Self.credential(field, of: "bearer ".utf8.span) { return try sender(access: token) }
        guard let token = Self.credential(field, of: "dpop ".utf8.span) else { throw Self.needed }
        return try sender(access: token)
    }

    private func sender(access token: Span<UInt8>) throws(APIError) -> Sender {
        let sender = try signer(of: token).sender
        guard !ended.refuses(sender) else { throw Self.refused }
        return sender
    }

    private func signer(of token: Span<UInt8>) throws(APIError) -> Known {
        let now = clock.seconds
        let end = Self.end(of: token)
        if let known = verified.withLock({ $0[end] }), constantTimeEquals(known.token.span, token) {
            guard now < known.sender.expires else { throw Self.refused }
            return known
        }
        guard let text = try? UTF8Span(validating: token),
            let claims = try? AccessToken(
                verifying: String(copying: text),
                relay: relay.description,
                at: now,
                key: { keys.publicKey($0, at: now) }
            ),
            let account = try? AccountID(claims.sub), let device = try? DeviceID(claims.device),
            let session = try? SessionID(claims.sid)
        else { throw Self.refused }
        let sender = Sender(account: account, device: device, session: session, expires: claims.exp)
        let known = Known(
            token: unsafe token.withUnsafeBufferPointer { unsafe Array($0) },
            sender: sender,
            thumbprint: claims.cnf?.jkt
        )
        verified.withLock { verified in
            if verified.count >= Self.maximumRemembered {
                verified = verified.filter { now < $0.value.sender.expires }
                if verified.count >= Self.maximumRemembered { verified.removeAll(keepingCapacity: true) }
            }
            verified[end] = known
        }
        return known
    }

    private static let refused = APIError(.unauthorized, "the access token is wrong or has run out; refresh it")

    private static let needed = APIError(.unauthorized, "an access token is needed")

    /// What stands behind the scheme, as in `Bearer TOKEN` (RFC 9110, section 11.4); the scheme's case does not matter.
    @_lifetime(copy field)
    private static func credential(_ field: Span<UInt8>, of scheme: Span<UInt8>) -> Span<UInt8>? {
        guard field.count > scheme.count else { return nil }
        for index in scheme.indices {
            let byte = field[index]
            guard (byte &- 0x41 < 26 ? byte | 0x20 : byte) == scheme[index] else { return nil }
        }
        return field.extracting(scheme.count...)
    }

    /// The last eight bytes, as a number.
    private static func end(of token: Span<UInt8>) -> UInt64 {
        var end: UInt64 = 0
        for index in max(0, token.count - 8)..<token.count { end = end << 8 | UInt64(token[index]) }
        return end
    }
}
