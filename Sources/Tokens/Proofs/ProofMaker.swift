/// What makes DPoP proofs (RFC 9449): it has the key that tokens are bound to.
public protocol ProofMaker: Sendable {
    /// A fresh proof for one request.
    ///
    /// - Parameters:
    ///   - method: the request's method (`htm`).
    ///   - url: its address without query and fragment (`htu`).
    ///   - accessToken: the token that goes with it, whose digest becomes `ath`; `nil` for a request for tokens.
    ///   - nonce: what the server wants to see in it; `nil` when it has not said.
    /// - Returns: the value of the `DPoP` field.
    func proof(method: String, url: String, accessToken: String?, nonce: String?) async throws -> String
}
