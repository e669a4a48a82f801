import MildamRelayAPI

/// Ends a session whose refresh token is given back: the newest, or the one before it.
struct Revoke: StoreOperation {
    let token: RefreshToken

    var prefetch: [FactKey] { [.session(token.session)] }

    func judge(_ facts: inout Facts, at now: Int64) throws(Missing) -> Result<Void, APIError> {
        guard let (address, session) = try facts.session(token.session), session.family.knows(token.secret) else {
            return .success(())
        }
        return try LogOut(session: token.session, address: address).judge(&facts, at: now)
    }
}
