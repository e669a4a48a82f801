import MildamKeychain

extension SecureTokenManager {
    /// Sends a request with an access token, and with a proof where the token is bound to a key.
    ///
    /// Where the server refuses the token with 401, it is refreshed, once for each token however many requests were refused,
    /// and the request sent once more. Where the server only wants its nonce in the proof (RFC 9449, section 9), the request
    /// is sent again with it, and nothing refreshed. Any other answer is the caller's, a second 401 too.
    ///
    /// - Throws: as ``validAccessToken()``; `exchange`.
    public func authorized(_ request: OutgoingRequest) async throws(TokenError) -> IncomingAnswer {
        let credential = try await validAccessToken()
        let answer = try await send(request, credential)
        guard answer.status == 401 else { return answer }
        return try await send(request, try await accessToken(after: credential.number))
    }

    private func send(
        _ request: OutgoingRequest,
        _ credential: AccessCredential
    ) async throws(TokenError) -> IncomingAnswer {
        let answer = try await sendOnce(request, credential)
        guard answer.status == 401, credential.scheme == .dpop, answer.only("dpop-nonce") != nil,
            answer.all("www-authenticate").contains(where: { $0.contains("use_dpop_nonce") })
        else { return answer }
        return try await sendOnce(request, credential)
    }

    private func sendOnce(
        _ request: OutgoingRequest,
        _ credential: AccessCredential
    ) async throws(TokenError) -> IncomingAnswer {
        var request = request
        request.fields.removeAll { ["authorization", "dpop"].contains($0.name.lowercased()) }
        request.fields.append(.init("Authorization", credential.authorization))
        if credential.scheme == .dpop {
            guard let proofs = endpoint.proofs else { throw .noProof }
            request.fields.append(try await endpoint.proof(proofs, request, credential.token))
        }
        let ready = request
        let answer = try await TokenError.exchanging { () throws(ExchangeError) in
            try await endpoint.exchange.exchange(ready)
        }
        endpoint.nonces.note(answer, from: ready.url.origin)
        return answer
    }
}
