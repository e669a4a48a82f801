import FoundationEssentials
import MildamCrypto

extension DPoPProof {
    /// A request that has to be proven.
    public struct Request: Sendable {
        let method: String
        let urls: Set<ProofURL>
        let accessToken: String?
        let needsNonce: Bool

        /// A request as the verifier saw it.
        ///
        /// - Parameters:
        ///   - method: as it stood in the request.
        ///   - urls: the addresses under which this verifier is reached for it: what it was told, and never what the
        ///     request said.
        ///   - accessToken: the token that came with it.
        ///   - needsNonce: whether a proof without a nonce is refused, however new it looks.
        public init(method: String, urls: Set<ProofURL>, accessToken: String? = nil, needsNonce: Bool = false) {
            self.method = method
            self.urls = urls
            self.accessToken = accessToken
            self.needsNonce = needsNonce
        }
    }

    /// Whether the proof is for this request, and of now (RFC 9449, section 4.3, points 8 to 12).
    ///
    /// A nonce of the verifier's own shows when the proof was made; the sender's clock is of no matter then.
    ///
    /// - Parameters:
    ///   - request: what it has to be for.
    ///   - now: seconds since 1970.
    ///   - nonces: the verifier's.
    /// - Throws: `otherRequest`; `otherToken`; `wrongNonce`, `nonceNeeded` or `notOfNow`, to each of which the answer is a
    ///   nonce.
    public func check(_ request: Request, at now: Int64, nonces: DPoPNonces) throws(DPoPError) {
        guard claims.method == request.method, request.urls.contains(claims.url) else { throw .otherRequest }
        let digest = request.accessToken.map(Self.digest)
        guard constantTimeEquals(Array((digest ?? "").utf8), Array((claims.tokenDigest ?? "").utf8)) else {
            throw .otherToken
        }
        if let nonce = claims.nonce {
            guard nonces.accepts(nonce, at: now) else { throw .wrongNonce }
        } else if request.needsNonce {
            throw .nonceNeeded
        } else {
            let (age, overflow) = now.subtractingReportingOverflow(claims.issued)
            guard !overflow, (-Self.window...Self.window).contains(age) else { throw .notOfNow }
        }
    }
}
