import MildamRelayAPI
import MildamTransport

/// What a request shows of its sender.
enum RelayAccess: Sendable {
    /// Anybody may ask.
    case nothing
    /// A proof under the key that a session is to be bound to, or is.
    case key(ProofKey)
    /// An access token, and a proof under the key that it is bound to. A session from before there were proofs has no key
    /// until it is refreshed.
    case token(String, ProofKey?)

    /// The fields of a request.
    ///
    /// - Parameters:
    ///   - url: where it goes.
    ///   - nonce: what the relay asked for.
    ///   - now: seconds since 1970.
    func fields(
        _ method: RouteMethod,
        _ url: String,
        nonce: String?,
        at now: Int64
    ) throws(MessengerError) -> HTTPFields {
        func proof(_ key: ProofKey, _ token: String?) throws(MessengerError) -> String {
            try key.proof(method.rawValue, url, token: token, nonce: nonce, at: now)
        }
        switch self {
        case .nothing: return [:]
        case .key(let key): return ["DPoP": try proof(key, nil)]
        case .token(let token, nil): return ["Authorization": "Bearer \(token)"]
        case .token(let token, let key?):
            return ["Authorization": "DPoP \(token)", "DPoP": try proof(key, token)]
        }
    }
}
