import MildamIdentity
import MildamRelayAPI

/// Presents a refresh token, after the device's signature was found to be right.
///
/// A session that is bound to no key yet is bound to the one that is shown. One that is bound knows no other, and one
/// who does not have it does nothing to the session.
struct Refresh: StoreOperation {
    let token: RefreshToken
    /// The thumbprint of the key that the request shows; `nil` for none.
    let thumbprint: String?
    let keys: RefreshKeys

    /// The successor, and whose session it is.
    struct Successor: Sendable {
        let token: [UInt8]
        let address: MailboxAddress
    }

    var prefetch: [FactKey] { [.session(token.session)] }

    /// - Returns: `session_ended`; `invalid_dpop_proof` for another key, or none.
    func judge(_ facts: inout Facts, at now: Int64) throws(Missing) -> Result<Successor, APIError> {
        guard let (address, session) = try facts.session(token.session) else { return .failure(.sessionEnded) }
        guard session.thumbprint == nil || session.thumbprint == thumbprint else { return .failure(.otherKey) }
        var after = session
        after.thumbprint = thumbprint
        switch session.family.present(token.secret, keys: keys, at: now / 1000) {
        case .repeated(let token):
            if after != session { facts.put(after, at: address) }
            return .success(Successor(token: token, address: address))
        case .advanced(let family, let token):
            after.family = family
            facts.put(after, at: address)
            return .success(Successor(token: token, address: address))
        case .ended:
            // The family must be gone before anyone learns that it is.
            let isIdle = now / 1000 - session.family.used > RefreshFamily.idleLifetime
            SessionRules.end(session.id, of: address, &facts)
            try AuditRules.note(
                isIdle ? .sessionExpired : .tokenReused,
                on: address,
                session: session.id,
                &facts,
                at: now
            )
            facts.keepRefusal()
            return .failure(.sessionEnded)
        }
    }
}
