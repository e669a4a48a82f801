/// Why a proof of possession is refused.
public enum DPoPError: Error, Equatable, Sendable {
    /// It is no proof: shape, type, algorithm, key or a field.
    case malformed
    /// The signature is not that of the key which it names.
    case badSignature
    /// It is for another method or address.
    case otherRequest
    /// It is not of now, by the verifier's clock; a nonce of the verifier's would show that it is.
    case notOfNow
    /// Its nonce is not the verifier's, or no longer.
    case wrongNonce
    /// It has no nonce, and one is needed.
    case nonceNeeded
    /// It is for another access token, or for none.
    case otherToken
    /// It was seen before.
    case repeated
    /// More proofs came than can be remembered: one more is refused, since it might be one of them.
    case tooMany
}
