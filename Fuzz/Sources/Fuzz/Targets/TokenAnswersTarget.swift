import MildamTokens

extension FuzzTarget {
    /// What authorization servers send: token responses, metadata, device codes, error codes. The first byte says which.
    static let tokenAnswers = FuzzTarget(
        name: "token-answers",
        source: .network,
        seeds: {
            [
                [0]
                    + Array(
                        (#"{"access_token":"a","token_type":"Bearer","expires_in":300,"refresh_token":"r","#
                            + #""scope":"a b"}"#).utf8
                    ),
                [0] + Array(#"{"access_token":"a","token_type":"DPoP","expires_in":"3599","scope":["a"]}"#.utf8),
                [1]
                    + Array(
                        (#"{"issuer":"https://example.org","token_endpoint":"https://example.org/t","#
                            + #""code_challenge_methods_supported":["S256"]}"#).utf8
                    ),
                [2]
                    + Array(
                        (#"{"device_code":"d","user_code":"AB-CD","verification_uri":"https://example.org/d","#
                            + #""expires_in":600,"interval":5}"#).utf8
                    ),
                [3] + Array("http://127.0.0.1:8080/a?b=c".utf8),
            ]
        },
        take: { input in
            guard let first = input.first else { return }
            let bytes = Array(input.dropFirst())
            switch first {
            case 0:
                guard let response = try? TokenResponse(json: bytes.span) else { return }
                planted((1...299).contains(response.lifetime ?? 0))
                mustHold(
                    (0...TokenResponse.maximumLifetime).contains(response.lifetime ?? 0),
                    "a lifetime has its limits"
                )
                for token in [response.accessToken, response.refreshToken].compactMap({ $0 }) {
                    let isPlain = token.bytes.allSatisfy { (0x21...0x7E).contains($0) }
                    mustHold(isPlain && token.count > 0, "a token can stand in a header")
                }
            case 1:
                guard let issuer, let server = try? OAuthServer(metadata: bytes.span, of: issuer) else { return }
                mustHold(server.issuer == issuer.description, "only who was asked answers")
                for url in [server.token, server.authorization, server.deviceAuthorization, server.revocation] {
                    mustHold(url.map { $0.isSecure || $0.isLoopback } != false, "no endpoint is in the clear")
                }
            case 2:
                guard let device = try? DeviceAuthorization(json: bytes.span) else { return }
                mustHold((1...300).contains(device.interval) && device.lifetime > 0, "nobody asks without a pause")
            default:
                let text = String(decoding: bytes, as: UTF8.self)
                guard let url = ServerURL(text) else { return }
                mustHold(url.description == text && (url.isSecure || url.isLoopback), "an address is what was given")
                mustHold(!url.origin.contains("@"), "an origin has no user")
            }
        }
    )

    private static let issuer = ServerURL("https://example.org")
}
