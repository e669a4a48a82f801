import FoundationEssentials
import MildamCrypto
import MildamJOSE
import MildamRelayAPI
import MildamSystem
import MildamTransport

/// Holds proofs of possession (RFC 9449) against the requests that they come with. What was seen is kept in memory: a relay
/// that was started anew takes a proof once more within its minute.
final class ProofCheck: Sendable {
    private let origins: ProofOrigins
    private let nonces: DPoPNonces
    private let clock: WallClock
    private let steady: @Sendable () -> UInt64
    private let memory = Lock(ProofMemory())

    /// - Parameters:
    ///   - nonces: shared by all relays behind one address.
    ///   - steady: nanoseconds of a clock that never goes back.
    init(origins: ProofOrigins, nonces: DPoPNonces, clock: WallClock, steady: @escaping @Sendable () -> UInt64) {
        self.origins = origins
        self.nonces = nonces
        self.clock = clock
        self.steady = steady
    }

    /// A nonce for whoever needs one.
    var nonce: String { nonces.nonce(at: clock.seconds) }

    /// The proof that a request carries; `nil` where it carries none.
    ///
    /// - Parameters:
    ///   - token: the access token that came with it.
    ///   - known: a key that the token is known to be bound to.
    /// - Throws: `invalid_dpop_proof`; `use_dpop_nonce`; `unavailable` when more proofs came than can be remembered.
    func proof(
        of request: HTTPRequest,
        token: String? = nil,
        knowing known: JSONWebKey? = nil
    ) throws(APIError) -> DPoPProof? {
        guard let field = request.fields.onlyValue(of: "DPoP") else {
            guard request.fields.values(of: "DPoP").isEmpty else { throw Self.refusal(.malformed) }
            return nil
        }
        return try proof(field, for: request.method, request.target.path, token: token, knowing: known)
    }

    /// The proof that came with a token on an open socket: one that would open the socket.
    ///
    /// - Throws: as ``proof(of:token:knowing:)``.
    func proof(onSocket text: String, token: String, knowing known: JSONWebKey?) throws(APIError) -> DPoPProof {
        try proof(text.utf8.span, for: .get, Routes.socket.path, token: token, knowing: known)
    }

    private func proof(
        _ text: Span<UInt8>,
        for method: HTTPMethod,
        _ path: String,
        token: String?,
        knowing known: JSONWebKey?
    ) throws(APIError) -> DPoPProof {
        do throws(DPoPError) {
            let proof = try DPoPProof(verifying: text, knowing: known)
            let expected = DPoPProof.Request(
                method: method.rawValue,
                path: path,
                origins: origins,
                accessToken: token
            )
            try proof.check(expected, at: clock.seconds, nonces: nonces)
            let now = Int64(steady() / 1_000_000_000)
            try memory.withLock { memory throws(DPoPError) in try memory.take(proof, at: now) }
            return proof
        } catch {
            throw Self.refusal(error)
        }
    }

    private static func refusal(_ error: DPoPError) -> APIError {
        switch error {
        case .notOfNow, .wrongNonce, .nonceNeeded:
            APIError(.nonceNeeded, "the proof is not of now; make one with the nonce of DPoP-Nonce")
        case .otherRequest:
            APIError(.invalidProof, "the proof is for another request, or for an address that is not this relay's")
        case .otherToken: APIError(.invalidProof, "the proof is for another access token")
        case .repeated: APIError(.invalidProof, "the proof was used before")
        case .tooMany: APIError(.unavailable, "too many proofs at once; try again in a minute")
        case .malformed, .badSignature: APIError(.invalidProof, "the proof is none")
        }
    }
}
